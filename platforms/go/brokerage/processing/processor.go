// Package processing is the role processor: it completes queued orders (specs/brokerage/README.md, "Queued orders").
package processing

import (
	"context"
	"errors"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"middlemark/brokerage/postgres"
	"middlemark/database"
	"middlemark/refusals"
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
	heldOff atomic.Bool // the database was away at the last look
}

// New makes a processor; Run runs it.
func New(store *postgres.Store, options Options) *Processor {
	return &Processor{
		store: store, options: options, wake: make(chan struct{}, options.Concurrency),
		failed: failures{until: make(map[int64]time.Time)},
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

// look wakes a worker now and then: it finds what no notification has told, and whether the database is back.
func (p *Processor) look(ctx context.Context) {
	ticker := time.NewTicker(p.options.Look)
	defer ticker.Stop()
	for {
		p.heldOff.Store(false)
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
		p.holdOff(err)
		select {
		case <-ctx.Done():
		case <-time.After(p.options.Look):
		}
	}
}

// holdOff stops the looks until the next one is due, and logs why, once for all who notice that the database is away.
func (p *Processor) holdOff(err error) {
	if p.heldOff.CompareAndSwap(false, true) {
		p.options.Log.Warn("the processor has no database", "error", err)
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
		for p.complete(ctx, p.options.Batch) {
			p.wakeOne()
		}
	}
}

// complete completes the orders of at most size messages in one transaction, and says whether there may be more. When one
// of them cannot be completed, it completes them one by one.
func (p *Processor) complete(ctx context.Context, size int) bool {
	if ctx.Err() != nil || p.heldOff.Load() {
		return false
	}
	taken, err := p.store.CompleteOrders(ctx, size, p.failed.leftAlone(time.Now()), p.options.Limit)
	switch {
	case err == nil:
	case database.Away(err):
		p.holdOff(err)
		return false
	case errors.Is(err, refusals.Unavailable), len(taken) == 0:
		p.options.Log.Warn("queued orders are left to the next look", "error", err)
		return false
	case len(taken) == 1:
		p.options.Log.Error("a queued order cannot be completed", "message", taken[0], "error", err)
		p.failed.add(taken[0], time.Now().Add(p.options.Look))
	default:
		for range taken {
			if !p.complete(ctx, 1) {
				return false
			}
		}
	}
	return len(taken) == size
}
