package main

import (
	"context"
	"net/http"
	"sync"
)

// draining lets pages under way finish before the server stops: http.Server.Shutdown closes the listener first, and a
// process that calls its own services over a binding would cut off its own pages.
type draining struct {
	next     http.Handler
	underWay sync.RWMutex // every page reads; who stops them writes, and none begins while a writer waits
}

func (d *draining) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if !d.underWay.TryRLock() {
		w.Header().Set("Connection", "close")
		http.Error(w, "The service is being stopped.", http.StatusServiceUnavailable)
		return
	}
	defer d.underWay.RUnlock()
	d.next.ServeHTTP(w, r)
}

// drain returns when no page is under way, or when ctx ends.
func (d *draining) drain(ctx context.Context) {
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
