package web

import (
	"log/slog"
	"net/http"
	"net/http/httptest"
	"testing"
)

func TestARequestThatIsNotAnsweredAsItShouldBeCountsAsAnError(t *testing.T) {
	for _, c := range []struct {
		sentence string
		handle   func(*Site) handler
		errors   int64
	}{
		{"a page is answered", func(s *Site) handler {
			return func(v visit) error { s.show(v, http.StatusOK, page{Name: "glossary"}); return nil }
		}, 0},
		{"a page cannot be rendered", func(s *Site) handler {
			return func(v visit) error { s.show(v, http.StatusOK, page{Name: "home", Content: struct{}{}}); return nil }
		}, 1},
		{"a page panics", func(*Site) handler { return func(visit) error { panic("a bug") } }, 1},
	} {
		t.Run(c.sentence, func(t *testing.T) {
			s := New(nil, Options{Log: slog.New(slog.DiscardHandler)})
			s.page("GET /test", c.handle(s))
			func() {
				defer func() { _ = recover() }()
				s.ServeHTTP(httptest.NewRecorder(), httptest.NewRequest(http.MethodGet, "/test", nil))
			}()
			if s.answered.Load() != 1 || s.errors.Load() != c.errors {
				t.Errorf("%d answered, %d errors; want 1 and %d", s.answered.Load(), s.errors.Load(), c.errors)
			}
		})
	}
}
