package main

import (
	"context"
	"io"
	"net/http"
	"time"
)

// healthLimit is how long /health waits for an answer (specs/README.md).
const healthLimit = 2 * time.Second

// health says whether the process can do its work: with a database, one query; with a remote binding, one ping.
func (a *application) health(w http.ResponseWriter, r *http.Request) {
	ctx, cancel := context.WithTimeout(r.Context(), healthLimit)
	defer cancel()
	w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	if reason := a.missing(ctx); reason != "" {
		w.WriteHeader(http.StatusServiceUnavailable)
		_, _ = io.WriteString(w, reason+"\n") // nobody is left to tell
		return
	}
	_, _ = io.WriteString(w, "ok") // as above
}

// missing says what the process needs and does not get, or nothing.
func (a *application) missing(ctx context.Context) string {
	if a.store != nil && a.store.Ready(ctx) != nil {
		return "The database does not answer."
	}
	if a.pages != nil && a.switchboard.Services().Ping(ctx) != nil {
		return "The services do not answer."
	}
	return ""
}
