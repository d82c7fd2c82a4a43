package pages

import (
	"net/http"
	"net/http/httptest"
	"testing"
	"testing/synctest"
	"time"
)

// login starts a session and is the next request of the same browser.
func login(s *Sessions[string], userID string) (*http.Request, *http.Cookie) {
	answer := httptest.NewRecorder()
	s.Start(answer, httptest.NewRequest(http.MethodPost, "/login", nil), userID)
	cookie := answer.Result().Cookies()[0]
	next := httptest.NewRequest(http.MethodGet, "/home", nil)
	next.AddCookie(cookie)
	return next, cookie
}

func TestASessionEndsAfterItsIdleTime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := NewSessions[string](300 * time.Second)
		request, _ := login(s, "uid:1")
		time.Sleep(299 * time.Second)
		if got, _ := s.Of(request); got != "uid:1" {
			t.Fatalf("just before the time is over %q is logged in", got)
		}
		time.Sleep(299 * time.Second)
		if got, _ := s.Of(request); got != "uid:1" {
			t.Fatalf("although a request has come in between, %q is logged in", got)
		}
		time.Sleep(300 * time.Second)
		if got, _ := s.Of(request); got != "" {
			t.Errorf("after the time %q is still logged in", got)
		}
	})
}

func TestEndedSessionsAreForgotten(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := NewSessions[string](300 * time.Second)
		for range 100 {
			login(s, "uid:1")
		}
		time.Sleep(301 * time.Second)
		login(s, "uid:2")
		if len(s.entries) != 1 {
			t.Errorf("%d sessions are remembered", len(s.entries))
		}
	})
}

func TestEveryLoginHasANewValueOfTheCookie(t *testing.T) {
	s := NewSessions[string](time.Minute)
	_, first := login(s, "uid:1")
	_, second := login(s, "uid:1")
	if first.Value == second.Value || len(first.Value) < 26 { // 26 characters of base 32 carry 130 bits
		t.Errorf("the cookies are %q and %q", first.Value, second.Value)
	}
	if !first.HttpOnly || first.SameSite != http.SameSiteLaxMode || first.Path != "/" || first.Name != "session" {
		t.Errorf("the cookie is %s", first)
	}
}

func TestALoginEndsTheSessionBefore(t *testing.T) {
	s := NewSessions[string](time.Minute)
	request, _ := login(s, "uid:1")
	s.Start(httptest.NewRecorder(), request, "uid:2")
	if got, _ := s.Of(request); got != "" {
		t.Errorf("the old cookie is still %q", got)
	}
}
