// Package web is the web tier: the pages of specs/brokerage/README.md over any brokerage.Services.
package web

import (
	"log/slog"
	"net/http"
	"sync/atomic"
	"time"

	"middlemark/brokerage"
	"middlemark/pages"
)

// Controls are the settings that can change at run time, and what follows from them.
type Controls interface {
	// Services are the services over the binding in effect.
	Services() brokerage.Services
	Settings() Settings
	// Change puts settings into effect, or refuses them with invalid_input and changes nothing.
	Change(Settings) error
	// Choices are the values this process can take.
	Choices() Choices
}

// Settings are what the config page shows and changes.
type Settings struct {
	Binding              string
	ServicesURL          string
	Orders               string
	MarketSummarySeconds int
}

// Choices lists every value of the specification, and says which this process can take.
type Choices struct {
	Bindings []Choice
	Orders   []Choice
}

// Choice is one value of a setting.
type Choice struct {
	Value   string
	Offered bool
}

// Options are the settings that are fixed at the start.
type Options struct {
	SessionIdle time.Duration
	ConfigPage  bool
	Work        func() Work
	Log         *slog.Logger
}

// Site answers the pages.
type Site struct {
	controls Controls
	options  Options
	sessions *pages.Sessions[string] // user ids
	market   marketSummaries
	mux      *http.ServeMux
	started  time.Time

	answered, errors atomic.Int64
}

// New makes the web tier.
func New(controls Controls, options Options) *Site {
	s := &Site{
		controls: controls,
		options:  options,
		sessions: pages.NewSessions[string](options.SessionIdle),
		mux:      http.NewServeMux(),
		started:  time.Now(),
	}
	s.page("GET /{$}", s.welcome)
	s.page("POST /login", s.login)
	s.page("GET /register", s.registerForm)
	s.page("POST /register", s.register)
	s.page("POST /logout", s.private(s.logout))
	s.page("GET /home", s.private(s.home))
	s.page("GET /account", s.private(s.account))
	s.page("POST /account", s.private(s.updateProfile))
	s.page("GET /portfolio", s.private(s.portfolio))
	s.page("GET /quotes", s.private(s.quotes))
	s.page("POST /quotes", s.private(s.quotes))
	s.page("POST /buy", s.private(s.buy))
	s.page("POST /sell", s.private(s.sell))
	s.page("GET /glossary", s.glossary)
	s.page("GET /statistics", s.statistics)
	if options.ConfigPage {
		s.page("GET /config", s.config)
		s.page("POST /config", s.changeConfig)
	}
	s.mux.HandleFunc("/", s.notFound)
	pages.OfferFiles(s.mux, files)
	return s
}

// ServeHTTP answers one page.
func (s *Site) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	done := false
	defer func() {
		s.answered.Add(1)
		if !done { // a panic, which becomes 500
			s.errors.Add(1)
		}
	}()
	s.mux.ServeHTTP(w, r)
	done = true
}

func (s *Site) services() brokerage.Services { return s.controls.Services() }
