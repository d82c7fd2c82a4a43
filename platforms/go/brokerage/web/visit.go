package web

import (
	"net/http"
	"net/url"
	"slices"
	"strings"

	"middlemark/brokerage"
	"middlemark/brokerage/httpstatus"
)

// visit is one request for a page.
type visit struct {
	w      http.ResponseWriter
	r      *http.Request
	userID string // empty when nobody is logged in
	form   url.Values
}

type (
	handler func(visit) error
	methods map[string]handler
)

// page registers an address, exactly as it is; a method not named is the error page with 405, HEAD goes where GET goes.
func (s *Site) page(address string, methods methods) {
	allowed := make([]string, 0, len(methods)+1)
	for method := range methods {
		allowed = append(allowed, method)
	}
	if get, found := methods[http.MethodGet]; found {
		methods[http.MethodHead] = get
		allowed = append(allowed, http.MethodHead)
	}
	slices.Sort(allowed)
	s.pages[address] = func(w http.ResponseWriter, r *http.Request) {
		v := visit{w: w, r: r, userID: s.sessions.user(r)}
		handle, found := methods[r.Method]
		if !found {
			w.Header().Set("Allow", strings.Join(allowed, ", "))
			s.show(v, http.StatusMethodNotAllowed, errorPage(http.StatusMethodNotAllowed,
				r.URL.Path+" does not answer "+r.Method+"."))
			return
		}
		var err error
		if v.form, err = readForm(r); err != nil {
			s.fail(v, brokerage.Refuse(brokerage.InvalidInput, "The form cannot be read."))
			return
		}
		if err := handle(v); err != nil {
			s.fail(v, err)
		}
	}
}

// private sends whoever is not logged in to the welcome page.
func (s *Site) private(handle handler) handler {
	return func(v visit) error {
		if v.userID == "" {
			v.redirect("/")
			return nil
		}
		return handle(v)
	}
}

func (s *Site) notFound(w http.ResponseWriter, r *http.Request) {
	v := visit{w: w, r: r, userID: s.sessions.user(r)}
	s.show(v, http.StatusNotFound, errorPage(http.StatusNotFound, "There is no page "+r.URL.Path+"."))
}

// fail shows the error page.
func (s *Site) fail(v visit, err error) {
	refusal := s.refusal(v, err)
	status := httpstatus.Of(refusal.Code)
	s.show(v, status, errorPage(status, refusal.Message))
}

// refusal is what the user reads of an error; what the user is not told goes to the log.
func (s *Site) refusal(v visit, err error) *brokerage.Refusal {
	refusal := brokerage.AsRefusal(err)
	if refusal.Code == brokerage.Internal {
		s.options.Log.Error("page failed", "path", v.r.URL.Path, "error", err)
	}
	return refusal
}

// refusedForm says whether a form is shown again with the message; anything that is no fault of the input is not.
func refusedForm(err error) bool {
	switch brokerage.AsRefusal(err).Code {
	case brokerage.Unavailable, brokerage.Internal:
		return false
	}
	return true
}

func (v visit) redirect(address string) { http.Redirect(v.w, v.r, address, http.StatusSeeOther) }

// typed is the first value with the name.
func (v visit) typed(name string) string { return v.form.Get(name) }
