package main

import (
	"context"
	"net/http"
	"sync"
)

// draining lets pages under way finish before the server stops: http.Server.Shutdown closes the listener first, and a
// process that calls its own services over a binding would cut off its own pages.
type draining struct {
	next http.Handler

	mu      sync.Mutex
	under   int
	stopped chan struct{} // set when no new page is begun; closed when the last one is finished
}

func newDraining(next http.Handler) *draining { return &draining{next: next} }

func (d *draining) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if !d.begin() {
		w.Header().Set("Connection", "close")
		http.Error(w, "The service is being stopped.", http.StatusServiceUnavailable)
		return
	}
	defer d.finish()
	d.next.ServeHTTP(w, r)
}

func (d *draining) begin() bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.stopped != nil {
		return false
	}
	d.under++
	return true
}

func (d *draining) finish() {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.under--
	if d.stopped != nil && d.under == 0 {
		close(d.stopped)
	}
}

// drain returns when no page is under way, or when ctx ends.
func (d *draining) drain(ctx context.Context) {
	d.mu.Lock()
	d.stopped = make(chan struct{})
	if d.under == 0 {
		close(d.stopped)
	}
	d.mu.Unlock()
	select {
	case <-d.stopped:
	case <-ctx.Done():
	}
}
