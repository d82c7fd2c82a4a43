package process

import (
	"context"
	"net/http"
	"sync"
)

// Draining lets requests under way finish before the process stops: http.Server.Shutdown closes the listener first, and a
// process that calls its own services over a network would cut off its own requests.
type Draining struct {
	next     http.Handler
	underWay sync.RWMutex // every request is a reader and Drain a writer: no reader begins while a writer waits
}

// NewDraining answers by next until Drain.
func NewDraining(next http.Handler) *Draining { return &Draining{next: next} }

// ServeHTTP refuses requests that begin after Drain.
func (d *Draining) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if !d.underWay.TryRLock() {
		w.Header().Set("Connection", "close")
		http.Error(w, "The service is being stopped.", http.StatusServiceUnavailable)
		return
	}
	defer d.underWay.RUnlock()
	d.next.ServeHTTP(w, r)
}

// Drain returns when no request is under way, or when ctx ends.
func (d *Draining) Drain(ctx context.Context) {
	finished := make(chan struct{})
	go func() {
		d.underWay.Lock()
		close(finished)
	}()
	select {
	case <-finished:
	case <-ctx.Done():
	}
}
