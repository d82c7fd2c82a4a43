package pages

import (
	"crypto/rand"
	"net/http"
	"sync"
	"time"
)

const cookieName = "session"

// Sessions remembers something of each visitor, in this process only. A session ends after `idle` without a request.
type Sessions[Memory any] struct {
	idle time.Duration

	mu      sync.Mutex
	entries map[string]*entry[Memory]
	swept   time.Time
}

type entry[Memory any] struct {
	memory Memory
	used   time.Time
}

// NewSessions has no session.
func NewSessions[Memory any](idle time.Duration) *Sessions[Memory] {
	return &Sessions[Memory]{idle: idle, entries: make(map[string]*entry[Memory]), swept: time.Now()}
}

// Start begins a session under a new value, and forgets the one that the browser had before.
func (s *Sessions[Memory]) Start(w http.ResponseWriter, r *http.Request, memory Memory) {
	value := rand.Text() // at least 128 random bits
	now := time.Now()
	s.mu.Lock()
	delete(s.entries, cookieValue(r))
	s.entries[value] = &entry[Memory]{memory: memory, used: now}
	s.sweep(now)
	s.mu.Unlock()
	http.SetCookie(w, &http.Cookie{
		Name: cookieName, Value: value, Path: "/", HttpOnly: true, SameSite: http.SameSiteLaxMode,
	})
}

// End ends the session and removes its cookie.
func (s *Sessions[Memory]) End(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	delete(s.entries, cookieValue(r))
	s.mu.Unlock()
	http.SetCookie(w, &http.Cookie{
		Name: cookieName, Path: "/", HttpOnly: true, SameSite: http.SameSiteLaxMode, MaxAge: -1,
	})
}

// Of is what is remembered of who sent the request, if there is a session; its idle time starts again.
func (s *Sessions[Memory]) Of(r *http.Request) (memory Memory, there bool) {
	value := cookieValue(r)
	if value == "" {
		return memory, false
	}
	now := time.Now()
	s.mu.Lock()
	defer s.mu.Unlock()
	session := s.entries[value]
	if session == nil {
		return memory, false
	}
	if now.Sub(session.used) >= s.idle {
		delete(s.entries, value)
		return memory, false
	}
	session.used = now
	return session.memory, true
}

// Count is how many sessions have not ended.
func (s *Sessions[Memory]) Count() (live int) {
	now := time.Now()
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, session := range s.entries {
		if now.Sub(session.used) < s.idle {
			live++
		}
	}
	return live
}

// sweep forgets ended sessions once per idle time. Who starts one pays for it: memory only grows by starts.
func (s *Sessions[Memory]) sweep(now time.Time) {
	if now.Sub(s.swept) < s.idle {
		return
	}
	s.swept = now
	for value, session := range s.entries {
		if now.Sub(session.used) >= s.idle {
			delete(s.entries, value)
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
