// Package processing is the role processor: it completes queued orders (specs/brokerage/README.md, "Queued orders").
package processing

import (
	"context"
	"log/slog"
	"sync"
	"time"

	"middlemark/brokerage/postgres"
)

// Options are the settings of a processor.
type Options struct {
	Batch       int           // most orders in one transaction
	Concurrency int           // transactions at the same time
	Look        time.Duration // how often to look for orders without being notified
	Limit       time.Duration // how long a transaction may take
	Log         *slog.Logger
}

// Processor completes queued orders.
type Processor struct {
	store   *postgres.Store
	options Options
	wake    chan struct{} // each value lets one worker look for orders
	failed  failures
}

// New makes a processor; Run runs it.
func New(store *postgres.Store, options Options) *Processor {
	return &Processor{
		store: store, options: options, wake: make(chan struct{}, options.Concurrency),
		failed: failures{pause: options.Look, until: make(map[int64]time.Time)},
	}
}

// Run completes orders until ctx ends, and returns when the transactions under way have ended.
func (p *Processor) Run(ctx context.Context) {
	var parts sync.WaitGroup
	for range p.options.Concurrency {
		parts.Go(func() { p.work(ctx) })
	}
	parts.Go(func() { p.listen(ctx) })
	p.look(ctx)
	parts.Wait()
}

// look wakes a worker now and then: it finds what no notification has told.
func (p *Processor) look(ctx context.Context) {
	ticker := time.NewTicker(p.options.Look)
	defer ticker.Stop()
	for {
		p.wakeOne()
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
		}
	}
}

// listen wakes a worker for each notification, over a new connection whenever one is lost.
func (p *Processor) listen(ctx context.Context) {
	for {
		err := p.store.Listen(ctx, p.wakeOne)
		if ctx.Err() != nil {
			return
		}
		p.options.Log.Warn("no notifications of orders", "error", err)
		select {
		case <-ctx.Done():
		case <-time.After(p.options.Look):
		}
	}
}

// wakeOne does nothing when as many wait to be taken as there are workers: those will find the order.
func (p *Processor) wakeOne() {
	select {
	case p.wake <- struct{}{}:
	default:
	}
}

func (p *Processor) work(ctx context.Context) {
	for {
		select {
		case <-ctx.Done():
			return
		case <-p.wake:
		}
		for ctx.Err() == nil && p.complete(ctx) {
			p.wakeOne()
		}
	}
}

// complete completes one transaction's orders and says whether there may be more.
func (p *Processor) complete(ctx context.Context) bool {
	done, err := p.store.CompleteOrders(ctx, p.options.Batch, p.options.Limit, p.failed.leftAlone(time.Now()))
	if err != nil {
		p.options.Log.Warn("queued orders were not completed this time", "error", err)
		return false
	}
	p.failed.forget(done.Completed)
	for message, err := range done.Failed {
		if p.failed.add(message, time.Now()) {
			p.options.Log.Error("a queued order cannot be completed", "message", message, "error", err)
		}
	}
	return len(done.Completed)+len(done.Failed) == p.options.Batch
}
