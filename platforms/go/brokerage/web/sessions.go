package web

import (
	"crypto/rand"
	"net/http"
	"sync"
	"time"
)

const cookieName = "session"

// sessions remembers who is logged in, in this process only.
type sessions struct {
	idle time.Duration // a session ends after so long without a request

	mu    sync.Mutex
	users map[string]*session
	swept time.Time
}

type session struct {
	userID string
	used   time.Time
}

func newSessions(idle time.Duration) *sessions {
	return &sessions{idle: idle, users: make(map[string]*session), swept: time.Now()}
}

// start logs the user in under a new value, and forgets the session that the browser had before.
func (s *sessions) start(w http.ResponseWriter, r *http.Request, userID string) {
	value := rand.Text() // at least 128 random bits
	now := time.Now()
	s.mu.Lock()
	delete(s.users, cookieValue(r))
	s.users[value] = &session{userID: userID, used: now}
	s.sweep(now)
	s.mu.Unlock()
	http.SetCookie(w, &http.Cookie{
		Name: cookieName, Value: value, Path: "/", HttpOnly: true, SameSite: http.SameSiteLaxMode,
	})
}

// end logs the user out.
func (s *sessions) end(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	delete(s.users, cookieValue(r))
	s.mu.Unlock()
	http.SetCookie(w, &http.Cookie{
		Name: cookieName, Path: "/", HttpOnly: true, SameSite: http.SameSiteLaxMode, MaxAge: -1,
	})
}

// user is the user id of whoever sent the request, or empty; the session's idle time starts again.
func (s *sessions) user(r *http.Request) string {
	value := cookieValue(r)
	if value == "" {
		return ""
	}
	now := time.Now()
	s.mu.Lock()
	defer s.mu.Unlock()
	found := s.users[value]
	if found == nil {
		return ""
	}
	if now.Sub(found.used) >= s.idle {
		delete(s.users, value)
		return ""
	}
	found.used = now
	return found.userID
}

// count is how many sessions have not ended.
func (s *sessions) count() (live int) {
	now := time.Now()
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, session := range s.users {
		if now.Sub(session.used) < s.idle {
			live++
		}
	}
	return live
}

// sweep forgets ended sessions once per idle time. A login pays for it: memory only grows by logins.
func (s *sessions) sweep(now time.Time) {
	if now.Sub(s.swept) < s.idle {
		return
	}
	s.swept = now
	for value, session := range s.users {
		if now.Sub(session.used) >= s.idle {
			delete(s.users, value)
		}
	}
}

func cookieValue(r *http.Request) string {
	cookie, err := r.Cookie(cookieName)
	if err != nil {
		return ""
	}
	return cookie.Value
}
