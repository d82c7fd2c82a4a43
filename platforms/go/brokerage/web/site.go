// Package web is the web tier: the pages of specs/brokerage/README.md over any brokerage.Services.
package web

import (
	"log/slog"
	"net/http"
	"sync/atomic"
	"time"

	"middlemark/brokerage"
)

// maxForm bounds the memory that a form can take.
const maxForm = 64 << 10

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
	Now         func() time.Time
	Log         *slog.Logger
}

// Site answers the pages.
type Site struct {
	controls Controls
	options  Options
	sessions *sessions
	market   *marketSummaries
	pages    map[string]http.HandlerFunc // by address
	started  time.Time

	answered, errors atomic.Int64
}

// New makes the web tier.
func New(controls Controls, options Options) *Site {
	s := &Site{
		controls: controls,
		options:  options,
		sessions: newSessions(options.SessionIdle, options.Now),
		market:   &marketSummaries{now: options.Now},
		pages:    make(map[string]http.HandlerFunc),
		started:  options.Now(),
	}
	s.page("/", methods{"GET": s.welcome})
	s.page("/login", methods{"POST": s.login})
	s.page("/register", methods{"GET": s.registerForm, "POST": s.register})
	s.page("/logout", methods{"POST": s.private(s.logout)})
	s.page("/home", methods{"GET": s.private(s.home)})
	s.page("/account", methods{"GET": s.private(s.account), "POST": s.private(s.updateProfile)})
	s.page("/portfolio", methods{"GET": s.private(s.portfolio)})
	s.page("/quotes", methods{"GET": s.private(s.quotes), "POST": s.private(s.quotes)})
	s.page("/buy", methods{"POST": s.private(s.buy)})
	s.page("/sell", methods{"POST": s.private(s.sell)})
	s.page("/glossary", methods{"GET": s.glossary})
	s.page("/statistics", methods{"GET": s.statistics})
	if options.ConfigPage {
		s.page("/config", methods{"GET": s.config, "POST": s.changeConfig})
	}
	s.page("/style.css", methods{"GET": s.file("static/style.css", "text/css; charset=utf-8")})
	for _, name := range images() {
		s.page("/images/"+name, methods{"GET": s.file("static/images/"+name, "image/svg+xml")})
	}
	return s
}

// ServeHTTP answers one page.
func (s *Site) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	r.Body = http.MaxBytesReader(w, r.Body, maxForm)
	answer, found := s.pages[r.URL.Path]
	if !found {
		answer = s.notFound
	}
	answer(w, r)
	s.answered.Add(1)
}

func (s *Site) services() brokerage.Services { return s.controls.Services() }
