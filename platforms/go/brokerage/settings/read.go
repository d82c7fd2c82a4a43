package settings

import (
	"math"
	"net/url"
	"slices"
	"strconv"
	"strings"
)

// Read reads the settings; get answers an environment variable or the empty text.
func Read(get func(string) string) (Settings, error) {
	r := &reader{get: get}
	roles, every := r.roles()
	s := Settings{
		Roles:                roles,
		EveryRole:            every,
		Host:                 r.text("MM_HOST", "127.0.0.1"),
		Port:                 r.number("MM_PORT", 8080, 1, math.MaxUint16),
		GRPCPort:             r.number("MM_GRPC_PORT", 0, 1, math.MaxUint16),
		DatabaseURL:          r.databaseURL(),
		DatabasePool:         r.number("MM_DATABASE_POOL", 20, 1, math.MaxInt32),
		DataAccess:           r.choice("MM_DATA_ACCESS", []string{PGX}, []string{PGX}),
		Orders:               r.choice("MM_ORDERS", AllOrders, OfferedOrders),
		ProcessorBatch:       r.number("MM_PROCESSOR_BATCH", 5, 1, math.MaxInt32),
		ProcessorConcurrency: r.number("MM_PROCESSOR_CONCURRENCY", 15, 1, math.MaxInt32),
		ProcessorSeconds:     r.number("MM_PROCESSOR_SECONDS", 1, 1, math.MaxInt32),
		ProcessorTimeout:     r.number("MM_PROCESSOR_TIMEOUT_SECONDS", 15, 1, math.MaxInt32),
		Binding:              r.choice("MM_BINDING", AllBindings, OfferedBindings),
		ServicesURL:          r.servicesURL(),
		ServicesConnections:  r.number("MM_SERVICES_CONNECTIONS", 64, 1, math.MaxInt32),
		MarketSummarySeconds: r.number("MM_MARKET_SUMMARY_SECONDS", 60, 0, math.MaxInt32),
		SessionSeconds:       r.number("MM_SESSION_SECONDS", 300, 1, math.MaxInt32),
		ConfigPage:           r.choice("MM_CONFIG_PAGE", []string{"off", "on"}, []string{"off", "on"}) == "on",
	}
	if r.refused != nil {
		return Settings{}, r.refused
	}
	return effective(s)
}

// effective completes what follows from several settings together.
func effective(s Settings) (Settings, error) {
	if s.Has(Processor) && s.Orders == Sync {
		return s, &Error{"MM_ORDERS", Sync, AsyncQueue + ", because MM_ROLE names " + Processor}
	}
	if s.GRPCPort == s.Port {
		return s, &Error{"MM_GRPC_PORT", strconv.Itoa(s.GRPCPort), "another port than MM_PORT"}
	}
	s = s.WithOrders(s.Orders)
	s.ProcessorConcurrency = min(s.ProcessorConcurrency, s.DatabasePool)
	if s.Binding != Local && s.Has(Web) && s.ServicesURL == "" {
		if !s.Has(Services) {
			return s, &Error{"MM_SERVICES_URL", "", "http://host:port, because MM_BINDING is " + s.Binding}
		}
		s.ServicesURL = s.OwnURL(s.Binding)
		if s.ServicesURL == "" {
			return s, &Error{"MM_GRPC_PORT", "", "a port, because MM_BINDING is grpc and the process calls itself"}
		}
	}
	if s.Binding == Local || !s.Has(Web) {
		s.ServicesURL = ""
	}
	if !s.NeedsDatabase() {
		s.DatabaseURL = ""
	} else if s.DatabaseURL == "" {
		return s, &Error{"MM_DATABASE_URL", "", DatabaseURLForm}
	}
	return s, nil
}

// reader keeps the first refusal, so that Read can be a list.
type reader struct {
	get     func(string) string
	refused error
}

func (r *reader) refuse(variable, value, allowed string) {
	if r.refused == nil {
		r.refused = &Error{variable, value, allowed}
	}
}

func (r *reader) text(variable, otherwise string) string {
	if value := r.get(variable); value != "" {
		return value
	}
	return otherwise
}

func (r *reader) number(variable string, otherwise, least, most int) int {
	text := r.get(variable)
	if text == "" {
		return otherwise
	}
	n, err := strconv.Atoi(text)
	if err != nil || n < least || n > most {
		r.refuse(variable, text, "a whole number from "+strconv.Itoa(least)+" to "+strconv.Itoa(most))
	}
	return n
}

// choice takes the first of all values as default.
func (r *reader) choice(variable string, all, offered []string) string {
	value := r.text(variable, all[0])
	switch {
	case !slices.Contains(all, value):
		r.refuse(variable, value, strings.Join(offered, ", "))
	case !slices.Contains(offered, value):
		r.refuse(variable, value, "this platform offers "+strings.Join(offered, ", "))
	}
	return value
}

// roles are those that MM_ROLE names, and whether it names all.
func (r *reader) roles() (roles []string, every bool) {
	const variable = "MM_ROLE"
	text := r.text(variable, "all")
	named := strings.Split(text, ",")
	for _, role := range named {
		if !slices.Contains([]string{"all", Web, Services, Processor}, role) {
			r.refuse(variable, text, "a comma list of all, web, services, processor")
		}
	}
	every = slices.Contains(named, "all")
	for _, role := range []string{Web, Services, Processor} {
		if slices.Contains(named, role) || every && role != Processor {
			roles = append(roles, role)
		}
	}
	return roles, every
}

// DatabaseURLForm is what MM_DATABASE_URL looks like.
const DatabaseURLForm = "postgresql://user:password@host:port/name"

func (r *reader) databaseURL() string {
	const variable = "MM_DATABASE_URL"
	text := r.get(variable)
	if text == "" {
		return ""
	}
	u, err := url.Parse(text)
	if err != nil || u.Scheme != "postgresql" || strings.Trim(u.Path, "/") == "" ||
		u.Hostname() == "" && u.Query().Get("host") == "" { // the folder of a socket is a parameter
		r.refuse(variable, withoutPassword(text), DatabaseURLForm)
	}
	return text
}

func (r *reader) servicesURL() string {
	text := r.get("MM_SERVICES_URL")
	if text == "" {
		return ""
	}
	if err := CheckServicesURL(text); err != nil && r.refused == nil {
		r.refused = err
	}
	return text
}
