package main

import (
	"context"
	"io"
	"net/http"
	"strings"
	"time"
)

// healthLimit is how long /health waits for an answer (specs/README.md).
const healthLimit = 2 * time.Second

// health says whether the process can do its work: with a database, one query; with a remote binding, one ping.
func (a *application) health(w http.ResponseWriter, r *http.Request) {
	ctx, cancel := context.WithTimeout(r.Context(), healthLimit)
	defer cancel()
	w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	if err := a.ready(ctx); err != nil {
		w.WriteHeader(http.StatusServiceUnavailable)
		_, _ = io.WriteString(w, oneLine(err)+"\n") // nobody is left to tell
		return
	}
	_, _ = io.WriteString(w, "ok") // as above
}

func (a *application) ready(ctx context.Context) error {
	if a.store != nil {
		if err := a.store.Ready(ctx); err != nil {
			return err
		}
	}
	if a.pages == nil {
		return nil
	}
	return a.switchboard.Services().Ping(ctx)
}

// oneLine keeps a reason within the one line that /health has.
func oneLine(err error) string { return strings.Join(strings.Fields(err.Error()), " ") }
