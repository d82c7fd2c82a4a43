package web

import (
	"context"
	"sync"
	"time"

	"middlemark/brokerage"
	"middlemark/refusals"
)

// marketSummaries shows a market summary again up to an age: the only cache that the specification allows. Pages that
// need a new one at the same time share one call.
type marketSummaries struct {
	mu      sync.Mutex
	fetched time.Time
	summary brokerage.MarketSummary
	flight  *flight
}

// flight is a call under way; done is closed when the rest is set.
type flight struct {
	done    chan struct{}
	summary brokerage.MarketSummary
	err     error
}

// get answers a summary not older than age; with age 0 every page makes its own call.
func (m *marketSummaries) get(ctx context.Context, services brokerage.Services, age time.Duration) (brokerage.MarketSummary, error) {
	if age == 0 {
		return services.GetMarketSummary(ctx)
	}
	m.mu.Lock()
	started := time.Now()
	if !m.fetched.IsZero() && started.Sub(m.fetched) < age {
		defer m.mu.Unlock()
		return m.summary, nil
	}
	if shared := m.flight; shared != nil {
		m.mu.Unlock()
		select {
		case <-shared.done:
			return shared.summary, shared.err
		case <-ctx.Done():
			return brokerage.MarketSummary{}, refusals.NotAvailable(ctx.Err())
		}
	}
	own := &flight{done: make(chan struct{})}
	m.flight = own
	m.mu.Unlock()
	m.fly(ctx, services, own, started)
	return own.summary, own.err
}

// fly makes the call for everybody who waits, so it goes on when the first caller hangs up.
func (m *marketSummaries) fly(ctx context.Context, services brokerage.Services, own *flight, started time.Time) {
	own.err = refusals.Internal // what the others see should the call panic
	defer func() {
		m.mu.Lock()
		if m.flight == own {
			m.flight = nil
			if own.err == nil {
				m.summary, m.fetched = own.summary, started
			}
		}
		m.mu.Unlock()
		close(own.done)
	}()
	own.summary, own.err = services.GetMarketSummary(context.WithoutCancel(ctx))
}

// forget drops the summary and does not keep the one under way, because the services have changed.
func (m *marketSummaries) forget() {
	m.mu.Lock()
	m.fetched, m.flight = time.Time{}, nil
	m.mu.Unlock()
}
