// Package settings reads the environment variables of specs/brokerage/README.md, all of them and nothing else.
package settings

import (
	"slices"
	"strconv"
	"strings"

	"middlemark/process"
)

// Roles of a process.
const (
	Web       = "web"
	Services  = "services"
	Processor = "processor"
)

// Bindings between web tier and services.
const (
	Local = "local"
	SOAP  = "soap"
	JSON  = "json"
	GRPC  = "grpc"
)

// Sync completes an order inside the request, AsyncQueue leaves that to a processor; PGX is the data access idiom.
const (
	Sync       = "sync"
	AsyncQueue = "async-queue"
	PGX        = "pgx"
)

// Every value of the specification, and what this platform offers of it.
var (
	AllBindings     = []string{Local, SOAP, JSON, GRPC}
	OfferedBindings = AllBindings
	AllOrders       = []string{Sync, AsyncQueue, "async-xa"}
	OfferedOrders   = []string{Sync, AsyncQueue}
)

// Settings are the values in effect.
type Settings struct {
	Roles                []string // in the order web, services, processor
	EveryRole            bool     // MM_ROLE names all: processor belongs to it as soon as orders are asynchronous
	Host                 string
	Port                 int
	GRPCPort             int // 0: none
	DatabaseURL          string
	DatabasePool         int
	DataAccess           string
	Orders               string
	ProcessorBatch       int
	ProcessorConcurrency int // not more than DatabasePool
	ProcessorSeconds     int
	ProcessorTimeout     int // seconds
	Binding              string
	ServicesURL          string
	ServicesConnections  int
	MarketSummarySeconds int
	SessionSeconds       int
	ConfigPage           bool
}

// Has says whether the process carries the role.
func (s Settings) Has(role string) bool { return slices.Contains(s.Roles, role) }

// NeedsDatabase is false only for a process that carries nothing but web over a remote binding.
func (s Settings) NeedsDatabase() bool {
	return s.Has(Services) || s.Has(Processor) || s.Binding == Local
}

// WithOrders are the settings with another processing of orders. A processor stays one, so that queued orders do not
// stay open when the orders after them are not queued.
func (s Settings) WithOrders(orders string) Settings {
	s.Orders = orders
	if s.EveryRole && orders != Sync && !s.Has(Processor) {
		s.Roles = append(slices.Clone(s.Roles), Processor)
	}
	return s
}

// OwnURL is where this process reaches itself over a binding; empty when it does not offer that one.
func (s Settings) OwnURL(binding string) string {
	port := s.Port
	if binding == GRPC {
		port = s.GRPCPort
	}
	if !s.Has(Services) || port == 0 {
		return ""
	}
	return process.OwnURL(s.Host, port)
}

// Texts are the settings for /about, by name without MM_; what is not set is the empty text.
func (s Settings) Texts() map[string]string {
	return map[string]string{
		"role":                      strings.Join(s.Roles, ","),
		"host":                      s.Host,
		"port":                      strconv.Itoa(s.Port),
		"grpc_port":                 process.TextUnlessZero(s.GRPCPort),
		"database_url":              process.WithoutPassword(s.DatabaseURL),
		"database_pool":             strconv.Itoa(s.DatabasePool),
		"data_access":               s.DataAccess,
		"orders":                    s.Orders,
		"processor_batch":           strconv.Itoa(s.ProcessorBatch),
		"processor_concurrency":     strconv.Itoa(s.ProcessorConcurrency),
		"processor_seconds":         strconv.Itoa(s.ProcessorSeconds),
		"processor_timeout_seconds": strconv.Itoa(s.ProcessorTimeout),
		"binding":                   s.Binding,
		"services_url":              s.ServicesURL,
		"services_connections":      strconv.Itoa(s.ServicesConnections),
		"market_summary_seconds":    strconv.Itoa(s.MarketSummarySeconds),
		"session_seconds":           strconv.Itoa(s.SessionSeconds),
		"config_page":               map[bool]string{true: "on", false: "off"}[s.ConfigPage],
	}
}
