package main

import (
	"context"
	"log/slog"
	"sync"
	"time"

	"middlemark/brokerage/postgres"
	"middlemark/brokerage/processing"
	"middlemark/brokerage/settings"
)

// ordering is how a process with a database processes orders: the mode in which it places them, and the role
// processor, which the config page may give it at run time.
type ordering struct {
	store     *postgres.Store
	processor *processing.Processor
	begin     func()
	begun     chan struct{} // closed when the process is a processor
	ended     chan struct{} // closed when it will complete no more orders
}

func newOrdering(read settings.Settings, store *postgres.Store, log *slog.Logger) *ordering {
	o := &ordering{
		store: store,
		processor: processing.New(store, processing.Options{
			Batch:       read.ProcessorBatch,
			Concurrency: read.ProcessorConcurrency,
			Look:        time.Duration(read.ProcessorSeconds) * time.Second,
			Limit:       time.Duration(read.ProcessorTimeout) * time.Second,
			Log:         log,
		}),
		begun: make(chan struct{}),
		ended: make(chan struct{}),
	}
	o.begin = sync.OnceFunc(func() { close(o.begun) })
	o.apply(read)
	return o
}

// apply puts settings into effect.
func (o *ordering) apply(in settings.Settings) {
	o.store.QueueOrders(in.Orders == settings.AsyncQueue)
	if in.Has(settings.Processor) {
		o.begin()
	}
}

// run completes queued orders, as soon as the process is a processor, until ctx ends.
func (o *ordering) run(ctx context.Context) {
	defer close(o.ended)
	select {
	case <-ctx.Done():
	case <-o.begun:
		o.processor.Run(ctx)
	}
}

// drain waits for the transactions under way; false when ctx ended before they did.
func (o *ordering) drain(ctx context.Context) bool {
	select {
	case <-o.ended:
		return true
	case <-ctx.Done():
		return false
	}
}
