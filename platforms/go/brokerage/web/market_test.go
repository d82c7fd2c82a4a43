package web

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"middlemark/brokerage"
	"middlemark/refusals"
)

// market counts its calls; each takes a second and answers the number of the call as volume.
type market struct {
	brokerage.Services
	calls atomic.Int64
	fails bool
}

func (m *market) GetMarketSummary(context.Context) (brokerage.MarketSummary, error) {
	call := m.calls.Add(1)
	time.Sleep(time.Second)
	if m.fails {
		return brokerage.MarketSummary{}, refusals.NotAvailable(errors.New("down"))
	}
	return brokerage.MarketSummary{Volume: call}, nil
}

func TestAMarketSummaryIsShownAgainUpToItsAge(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m, summaries := &market{}, new(marketSummaries)
		for _, c := range []struct {
			pass time.Duration
			want int64
		}{{0, 1}, {0, 1}, {58 * time.Second, 1}, {time.Second, 2}, {time.Second, 2}} {
			time.Sleep(c.pass)
			if got, err := summaries.get(t.Context(), m, time.Minute); err != nil || got.Volume != c.want {
				t.Errorf("%s later call %d is shown, want %d (%v)", c.pass, got.Volume, c.want, err)
			}
		}
	})
}

func TestWithAgeZeroEveryPageCalls(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m, summaries := &market{}, new(marketSummaries)
		for want := int64(1); want <= 3; want++ {
			if got, err := summaries.get(t.Context(), m, 0); err != nil || got.Volume != want {
				t.Errorf("call %d is shown, want %d (%v)", got.Volume, want, err)
			}
		}
	})
}

func TestPagesAtTheSameTimeShareOneCall(t *testing.T) {
	for _, fails := range []bool{false, true} {
		synctest.Test(t, func(t *testing.T) {
			m, summaries := &market{fails: fails}, new(marketSummaries)
			var pages sync.WaitGroup
			for range 50 {
				pages.Go(func() {
					if _, err := summaries.get(t.Context(), m, time.Minute); (err != nil) != fails {
						t.Errorf("a page gets %v", err)
					}
				})
			}
			pages.Wait()
			if m.calls.Load() != 1 {
				t.Errorf("%d calls were made", m.calls.Load())
			}
		})
	}
}

func TestAFailureIsNotKept(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m, summaries := &market{fails: true}, new(marketSummaries)
		if _, err := summaries.get(t.Context(), m, time.Minute); !errors.Is(err, refusals.Unavailable) {
			t.Errorf("the first page gets %v", err)
		}
		m.fails = false
		if got, err := summaries.get(t.Context(), m, time.Minute); err != nil || got.Volume != 2 {
			t.Errorf("the next page gets call %d, %v", got.Volume, err)
		}
	})
}

func TestASummaryOfOtherServicesIsForgotten(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m, summaries := &market{}, new(marketSummaries)
		under := make(chan struct{})
		go func() {
			defer close(under)
			_, _ = summaries.get(t.Context(), m, time.Minute) // only its effect on the next page matters
		}()
		synctest.Wait()
		summaries.forget()
		<-under
		if got, err := summaries.get(t.Context(), m, time.Minute); err != nil || got.Volume != 2 {
			t.Errorf("the next page gets call %d, %v", got.Volume, err)
		}
	})
}
