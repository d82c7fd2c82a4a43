package settings

import (
	"slices"
	"strconv"

	"middlemark/process"
)

// Read reads the settings; get answers an environment variable or the empty text.
func Read(get func(string) string) (Settings, error) {
	r := &process.Reader{Get: get}
	roles, every := roles(r)
	s := Settings{
		Roles:                roles,
		EveryRole:            every,
		Host:                 r.Text("MM_HOST", "127.0.0.1"),
		Port:                 r.Port("MM_PORT", 8080),
		GRPCPort:             r.Port("MM_GRPC_PORT", 0),
		DatabaseURL:          r.DatabaseURL("MM_DATABASE_URL"),
		DatabasePool:         r.Count("MM_DATABASE_POOL", 20, 1),
		DataAccess:           r.Choice("MM_DATA_ACCESS", []string{PGX}, []string{PGX}),
		Orders:               r.Choice("MM_ORDERS", AllOrders, OfferedOrders),
		ProcessorBatch:       r.Count("MM_PROCESSOR_BATCH", 5, 1),
		ProcessorConcurrency: r.Count("MM_PROCESSOR_CONCURRENCY", 15, 1),
		ProcessorSeconds:     r.Count("MM_PROCESSOR_SECONDS", 1, 1),
		ProcessorTimeout:     r.Count("MM_PROCESSOR_TIMEOUT_SECONDS", 15, 1),
		Binding:              r.Choice("MM_BINDING", AllBindings, OfferedBindings),
		ServicesURL:          r.HTTPURL("MM_SERVICES_URL"),
		ServicesConnections:  r.Count("MM_SERVICES_CONNECTIONS", 64, 1),
		MarketSummarySeconds: r.Count("MM_MARKET_SUMMARY_SECONDS", 60, 0),
		SessionSeconds:       r.Count("MM_SESSION_SECONDS", 300, 1),
		ConfigPage:           r.Choice("MM_CONFIG_PAGE", []string{"off", "on"}, []string{"off", "on"}) == "on",
	}
	if r.Refused != nil {
		return Settings{}, r.Refused
	}
	return effective(s)
}

// effective completes what follows from several settings together.
func effective(s Settings) (Settings, error) {
	if s.Has(Processor) && s.Orders == Sync {
		return s, &process.SettingError{Variable: "MM_ORDERS", Value: Sync, Allowed: AsyncQueue + ", because MM_ROLE names " + Processor}
	}
	if s.GRPCPort == s.Port {
		return s, &process.SettingError{Variable: "MM_GRPC_PORT", Value: strconv.Itoa(s.GRPCPort), Allowed: "another port than MM_PORT"}
	}
	s = s.WithOrders(s.Orders)
	s.ProcessorConcurrency = min(s.ProcessorConcurrency, s.DatabasePool)
	if s.Binding != Local && s.Has(Web) && s.ServicesURL == "" {
		if !s.Has(Services) {
			return s, &process.SettingError{Variable: "MM_SERVICES_URL", Value: "", Allowed: "http://host:port, because MM_BINDING is " + s.Binding}
		}
		s.ServicesURL = s.OwnURL(s.Binding)
		if s.ServicesURL == "" {
			return s, &process.SettingError{Variable: "MM_GRPC_PORT", Value: "", Allowed: "a port, because MM_BINDING is grpc and the process calls itself"}
		}
	}
	if s.Binding == Local || !s.Has(Web) {
		s.ServicesURL = ""
	}
	if !s.NeedsDatabase() {
		s.DatabaseURL = ""
	} else if s.DatabaseURL == "" {
		return s, &process.SettingError{Variable: "MM_DATABASE_URL", Value: "", Allowed: process.DatabaseURLForm}
	}
	return s, nil
}

// roles are those that MM_ROLE names, and whether it names all.
func roles(r *process.Reader) (roles []string, every bool) {
	named := r.Roles(Web, Services, Processor)
	every = slices.Contains(named, "all")
	for _, role := range []string{Web, Services, Processor} {
		if slices.Contains(named, role) || every && role != Processor {
			roles = append(roles, role)
		}
	}
	return roles, every
}
