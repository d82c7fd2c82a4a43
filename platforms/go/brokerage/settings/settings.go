// Package settings reads the environment variables of specs/brokerage/README.md, all of them and nothing else.
package settings

import (
	"fmt"
	"net"
	"net/url"
	"slices"
	"strconv"
	"strings"
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

// Error says which variable has which value and what is allowed.
type Error struct {
	Variable, Value, Allowed string
}

func (e *Error) Error() string {
	if e.Value == "" {
		return fmt.Sprintf("%s is missing: %s", e.Variable, e.Allowed)
	}
	return fmt.Sprintf("%s=%s is not allowed: %s", e.Variable, e.Value, e.Allowed)
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
	host, port := s.Host, s.Port
	if binding == GRPC {
		port = s.GRPCPort
	}
	if !s.Has(Services) || port == 0 {
		return ""
	}
	if ip := net.ParseIP(host); ip != nil && ip.IsUnspecified() {
		host = "127.0.0.1"
	}
	return "http://" + net.JoinHostPort(host, strconv.Itoa(port))
}

// Texts are the settings for /about, by name without MM_; what is not set is the empty text.
func (s Settings) Texts() map[string]string {
	return map[string]string{
		"role":                      strings.Join(s.Roles, ","),
		"host":                      s.Host,
		"port":                      strconv.Itoa(s.Port),
		"grpc_port":                 textUnlessZero(s.GRPCPort),
		"database_url":              withoutPassword(s.DatabaseURL),
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

func textUnlessZero(n int) string {
	if n == 0 {
		return ""
	}
	return strconv.Itoa(n)
}

func withoutPassword(text string) string {
	u, err := url.Parse(text)
	if err != nil { // a password with a stray % or / is the likeliest reason: leave out whatever may be one
		return text[strings.LastIndex(text, "@")+1:]
	}
	if u.Query().Has("password") {
		text, _, _ = strings.Cut(text, "?")
	}
	if u.User == nil {
		return text
	}
	// Cut out, not written anew: what is encoded stays encoded as it was given.
	begin := strings.Index(text, "://") + len("://")
	authority, _, _ := strings.Cut(text[begin:], "/")
	at := strings.LastIndex(authority, "@")
	name, _, _ := strings.Cut(authority[:at], ":")
	return text[:begin] + name + text[begin+at:]
}

// CheckServicesURL refuses what is not the address of services; an empty one is the reader's business.
func CheckServicesURL(text string) error {
	u, err := url.Parse(text)
	if err != nil || u.Scheme != "http" || u.Hostname() == "" || u.Port() == "" ||
		u.User != nil || u.Path != "" || u.RawQuery != "" || u.Fragment != "" {
		return &Error{"MM_SERVICES_URL", text, "http://host:port"}
	}
	return nil
}
