package main

import (
	"net/http"
	"slices"
	"sync"
	"sync/atomic"

	"middlemark/brokerage"
	"middlemark/brokerage/grpc"
	"middlemark/brokerage/json"
	"middlemark/brokerage/settings"
	"middlemark/brokerage/soap"
	"middlemark/brokerage/web"
	"middlemark/exchange"
	"middlemark/process"
	"middlemark/refusals"
)

// switchboard connects the web tier with its services, also when the config page changes how.
type switchboard struct {
	own      brokerage.Services // nil when the process has none of its own
	ordering *ordering          // nil as well
	client   *http.Client
	line     atomic.Pointer[line]
	changing sync.Mutex
	calls    map[string]*grpc.Client // by address; a page under way may still use a former one
}

// line is what is in effect now.
type line struct {
	settings settings.Settings
	services brokerage.Services // nil in a process without the role web
}

func newSwitchboard(read settings.Settings, own brokerage.Services, ordering *ordering) (*switchboard, error) {
	s := &switchboard{
		own: own, ordering: ordering, client: exchange.NewClient(read.ServicesConnections), calls: make(map[string]*grpc.Client),
	}
	services, err := s.connect(read)
	if err != nil {
		return nil, err
	}
	s.line.Store(&line{settings: read, services: services})
	return s, nil
}

// connect is the services over a binding. A value outside its limits is not sent: not every binding could carry it.
func (s *switchboard) connect(with settings.Settings) (brokerage.Services, error) {
	switch with.Binding {
	case settings.SOAP:
		return brokerage.Checked{Services: soap.NewClient(with.ServicesURL, s.client)}, nil
	case settings.JSON:
		return brokerage.Checked{Services: json.NewClient(with.ServicesURL, s.client)}, nil
	case settings.GRPC:
		calls, err := s.callsTo(with)
		return brokerage.Checked{Services: calls}, err
	}
	return s.own, nil
}

// callsTo is the client for the address.
func (s *switchboard) callsTo(with settings.Settings) (*grpc.Client, error) {
	if client, found := s.calls[with.ServicesURL]; found {
		return client, nil
	}
	client, err := grpc.NewClient(with.ServicesURL, with.ServicesConnections)
	if err == nil {
		s.calls[with.ServicesURL] = client
	}
	return client, err
}

// close ends the connections to the services.
func (s *switchboard) close() {
	s.changing.Lock()
	defer s.changing.Unlock()
	s.client.CloseIdleConnections()
	for _, client := range s.calls {
		client.Close()
	}
}

func (s *switchboard) settings() settings.Settings { return s.line.Load().settings }

// Services implements web.Controls.
func (s *switchboard) Services() brokerage.Services { return s.line.Load().services }

// Settings implements web.Controls.
func (s *switchboard) Settings() web.Settings {
	in := s.settings()
	return web.Settings{
		Binding: in.Binding, ServicesURL: in.ServicesURL, Orders: in.Orders, MarketSummarySeconds: in.MarketSummarySeconds,
	}
}

// Choices implements web.Controls.
func (s *switchboard) Choices() web.Choices {
	in := s.settings()
	return web.Choices{
		Bindings: choices(settings.AllBindings, func(binding string) bool {
			return slices.Contains(settings.OfferedBindings, binding) && (binding != settings.Local || s.own != nil)
		}),
		Orders: choices(settings.AllOrders, func(orders string) bool {
			return orders == in.Orders || slices.Contains(settings.OfferedOrders, orders) && s.ordering != nil
		}),
	}
}

func choices(values []string, offered func(string) bool) []web.Choice {
	list := make([]web.Choice, len(values))
	for i, value := range values {
		list[i] = web.Choice{Value: value, Offered: offered(value)}
	}
	return list
}

// Change implements web.Controls.
func (s *switchboard) Change(to web.Settings) error {
	s.changing.Lock()
	defer s.changing.Unlock()
	allowed := s.Choices()
	if !slices.Contains(allowed.Bindings, web.Choice{Value: to.Binding, Offered: true}) {
		return refusals.New(refusals.InvalidInput, "The binding %s is not offered by this process.", to.Binding)
	}
	if !slices.Contains(allowed.Orders, web.Choice{Value: to.Orders, Offered: true}) {
		return refusals.New(refusals.InvalidInput, "Orders cannot be processed as %s by this process.", to.Orders)
	}
	in := s.settings()
	if to.ServicesURL == "" && to.Binding != settings.Local {
		to.ServicesURL = in.OwnURL(to.Binding)
	}
	if to.ServicesURL != "" || to.Binding != settings.Local {
		if !process.IsHTTPURL(to.ServicesURL) {
			return refusals.New(refusals.InvalidInput, "The address of the services must be http://host:port.")
		}
	}
	if to.Binding == settings.Local {
		to.ServicesURL = "" // it has to be an address, and is not in effect
	}
	in = in.WithOrders(to.Orders)
	in.Binding, in.ServicesURL, in.MarketSummarySeconds = to.Binding, to.ServicesURL, to.MarketSummarySeconds
	services, err := s.connect(in)
	if err != nil {
		return err
	}
	if s.ordering != nil {
		s.ordering.apply(in)
	}
	s.line.Store(&line{settings: in, services: services})
	return nil
}
