package web

import (
	"net/http"

	"middlemark/brokerage/httpstatus"
	"middlemark/pages"
	"middlemark/refusals"
)

// visit is one request for a page.
type visit struct {
	w      http.ResponseWriter
	r      *http.Request
	userID string // empty when nobody is logged in
}

type handler func(visit) error

// page registers what answers a pattern.
func (s *Site) page(pattern string, handle handler) {
	s.mux.HandleFunc(pattern, func(w http.ResponseWriter, r *http.Request) {
		userID, _ := s.sessions.Of(r)
		v := visit{w: w, r: r, userID: userID}
		if err := r.ParseForm(); err != nil {
			s.fail(v, refusals.Malformed(err))
			return
		}
		if err := handle(v); err != nil {
			s.fail(v, err)
		}
	})
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

// notFound answers every address and method that no page has.
func (s *Site) notFound(w http.ResponseWriter, r *http.Request) {
	userID, _ := s.sessions.Of(r)
	v := visit{w: w, r: r, userID: userID}
	s.show(v, http.StatusNotFound, errorPage(http.StatusNotFound, "There is no page "+r.URL.Path+"."))
}

// fail shows the error page.
func (s *Site) fail(v visit, err error) {
	refusal := s.refusal(v, err)
	status := httpstatus.Of(refusal.Code)
	s.show(v, status, errorPage(status, refusal.Message))
}

// refusal is what the user reads of an error; what the user is not told goes to the log.
func (s *Site) refusal(v visit, err error) *refusals.Refusal {
	refusal := refusals.Of(err)
	if refusal.Code == refusals.Internal {
		s.options.Log.Error("page failed", "path", v.r.URL.Path, "error", err)
	}
	return refusal
}

// refusedForm says whether a form is shown again with the message; anything that is no fault of the input is not.
func refusedForm(err error) bool {
	switch refusals.Of(err).Code {
	case refusals.Unavailable, refusals.Internal:
		return false
	}
	return true
}

func (v visit) redirect(address string) { http.Redirect(v.w, v.r, address, http.StatusSeeOther) }

// typed is the value with the name.
func (v visit) typed(name string) string { return pages.Typed(v.r, name) }
