// Package web is the web tier: the pages of specs/petstore/README.md.
package web

import (
	"embed"
	"log/slog"
	"net/http"
	"strconv"
	"time"

	"middlemark/pages"
	"middlemark/petstore"
	"middlemark/refusals"
)

//go:embed templates static
var files embed.FS

var templates = pages.Parse(files)

// pets are the pictures on every page besides the logo and the cart.
var pets = []string{"bird", "cat", "dog", "fish", "frog", "hamster", "horse", "lizard", "rabbit", "turtle"}

// Shop is what the pages need of the rest of the application.
type Shop struct {
	Catalog   petstore.Catalog
	Customers petstore.Customers
	Orders    petstore.Orders
	Remote    RemoteOrders
}

// Site answers the pages.
type Site struct {
	shop     Shop
	sessions *pages.Sessions[*visitor]
	mux      *http.ServeMux
	log      *slog.Logger
}

// New makes the web tier; a session ends after `idle` without a request.
func New(shop Shop, idle time.Duration, log *slog.Logger) *Site {
	s := &Site{shop: shop, sessions: pages.NewSessions[*visitor](idle), mux: http.NewServeMux(), log: log}
	s.page("GET /{$}", s.home)
	s.page("GET /search", s.search)
	s.page("GET /category", s.category)
	s.page("GET /product", s.product)
	s.page("GET /item", s.item)
	s.page("GET /cart", s.cart)
	s.page("POST /cart", s.add)
	s.page("GET /sign-in", s.signInForm)
	s.page("POST /sign-in", s.signIn)
	s.page("POST /sign-out", s.signOut)
	s.page("GET /checkout", s.private(s.summary))
	s.page("GET /checkout/billing", s.private(s.billing))
	s.page("POST /checkout/confirm", s.private(s.confirm))
	s.page("POST /order", s.private(s.place))
	s.page("GET /order", s.private(s.order))
	s.page("GET /remote-order", s.remoteOrder)
	s.page("/", func(v visit) error {
		v.showError(http.StatusNotFound, "There is no page "+v.r.URL.Path+".")
		return nil
	})
	pages.OfferFiles(s.mux, files)
	return s
}

// ServeHTTP answers one page.
func (s *Site) ServeHTTP(w http.ResponseWriter, r *http.Request) { s.mux.ServeHTTP(w, r) }

// visit is one request for a page.
type visit struct {
	site *Site
	w    http.ResponseWriter
	r    *http.Request
	who  visitor // what was remembered when the request came
}

type handler func(visit) error

// page registers what answers a pattern.
func (s *Site) page(pattern string, handle handler) {
	s.mux.HandleFunc(pattern, func(w http.ResponseWriter, r *http.Request) {
		v := visit{site: s, w: w, r: r}
		if remembered, there := s.sessions.Of(r); there {
			v.who = remembered.snapshot()
		}
		err := r.ParseForm()
		if err != nil {
			err = refusals.Malformed(err)
		} else {
			err = handle(v)
		}
		if err != nil {
			v.fail(err)
		}
	})
}

// private sends who is not signed in to the form.
func (s *Site) private(handle handler) handler {
	return func(v visit) error {
		if v.who.customer == nil {
			v.redirect("/sign-in")
			return nil
		}
		return handle(v)
	}
}

// page is what the layout needs; Content is the named page's own.
type page struct {
	Name     string // data-page, and the template's file name
	Title    string
	Customer *petstore.Customer
	Message  string
	Sought   string
	Pets     []string
	Content  any
}

func (v visit) show(status int, p page) {
	p.Customer, p.Pets = v.who.customer, pets
	if err := templates.Show(v.w, status, p.Name, p); err != nil {
		v.site.log.Error("page failed", "path", v.r.URL.Path, "error", err)
	}
}

func (v visit) showError(status int, message string) {
	heading := strconv.Itoa(status) + " " + http.StatusText(status)
	v.show(status, page{Name: "error", Title: "Error", Message: message, Content: heading})
}

// fail shows the error page; what the visitor is not told goes to the log.
func (v visit) fail(err error) {
	refusal := refusals.Of(err)
	if refusal.Code == refusals.Internal {
		v.site.log.Error("page failed", "path", v.r.URL.Path, "error", err)
	}
	v.showError(status(refusal.Code), refusal.Message)
}

// status is the HTTP status of a code.
func status(code refusals.Code) int {
	switch code {
	case refusals.InvalidInput:
		return http.StatusBadRequest
	case refusals.AuthenticationFailed:
		return http.StatusForbidden
	case petstore.UnknownCategory, petstore.UnknownProduct, petstore.UnknownItem, petstore.UnknownOrder:
		return http.StatusNotFound
	case petstore.EmptyCart, petstore.CartFull, petstore.OutOfStock, petstore.CheckoutEnded:
		return http.StatusConflict
	case refusals.Unavailable:
		return http.StatusServiceUnavailable
	}
	return http.StatusInternalServerError
}

func (v visit) redirect(address string) { http.Redirect(v.w, v.r, address, http.StatusSeeOther) }

func (v visit) typed(name string) string { return pages.Typed(v.r, name) }
