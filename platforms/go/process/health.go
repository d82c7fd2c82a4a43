package process

import (
	"context"
	"io"
	"net/http"
	"time"
)

// healthLimit is how long /health waits for an answer (specs/README.md).
const healthLimit = 2 * time.Second

// Need is something without which a process cannot do its work.
type Need struct {
	Missing string // the sentence that /health shows
	Ready   func(context.Context) error
}

// Health says whether all that the process needs answers.
func Health(needs ...Need) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		ctx, cancel := context.WithTimeout(r.Context(), healthLimit)
		defer cancel()
		w.Header().Set("Content-Type", "text/plain; charset=utf-8")
		for _, need := range needs {
			if need.Ready(ctx) != nil {
				w.WriteHeader(http.StatusServiceUnavailable)
				_, _ = io.WriteString(w, need.Missing+"\n") // nobody is left to tell
				return
			}
		}
		_, _ = io.WriteString(w, "ok") // as above
	}
}
