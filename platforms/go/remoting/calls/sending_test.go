package calls

import (
	"net/http"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"middlemark/remoting/messages"
)

// response notes for each part that is sent whether a call was under way then.
type response struct {
	header   http.Header
	calling  atomic.Bool
	during   int // parts sent while a call was under way
	between  int // and between two calls
	received int // bytes
}

func (r *response) Header() http.Header { return r.header }

func (r *response) WriteHeader(int) {}

func (r *response) Write(part []byte) (int, error) {
	r.received += len(part)
	if r.calling.Load() {
		r.during++
	} else {
		r.between++
	}
	return len(part), nil
}

func (r *response) Flush() {}

func (r *response) SetWriteDeadline(time.Time) error { return nil }

// sent is the response to a loop of calls that take so long each, by a clock that only sleeping moves.
func sent(t *testing.T, calls int, each time.Duration) *response {
	t.Helper()
	w := &response{header: make(http.Header)}
	synctest.Test(t, func(t *testing.T) {
		perform := func() (any, error) {
			w.calling.Store(true)
			time.Sleep(each)
			w.calling.Store(false)
			return &messages.Nothing{}, nil
		}
		if err := run(t.Context(), end{calls: calls}, perform, &records{w: w, controller: http.NewResponseController(w)}); err != nil {
			t.Error(err)
		}
	})
	if w.received != calls*recordBytes {
		t.Errorf("%d bytes are sent for %d calls", w.received, calls)
	}
	return w
}

func TestRecordsOfQuickCallsAreSentBetweenCalls(t *testing.T) {
	// The first call's record goes at once, the last ones at the end; in between five calls end within 4 ms.
	if w := sent(t, 101, time.Millisecond); w.during != 0 || w.between != 21 {
		t.Errorf("%d parts are sent during a call, %d between calls", w.during, w.between)
	}
}

func TestTheRecordOfACallIsSentWhileASlowOneWaits(t *testing.T) {
	if w := sent(t, 4, time.Second); w.during != 2 || w.between != 2 {
		t.Errorf("%d parts are sent during a call, %d between calls", w.during, w.between)
	}
}

func TestNothingIsSentAfterALoopThatPanicked(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := &response{header: make(http.Header)}
		calls := 0
		perform := func() (any, error) {
			if calls++; calls == 3 {
				panic("broken")
			}
			return &messages.Nothing{}, nil
		}
		func() {
			defer func() { _ = recover() }() // as the server does
			_ = run(t.Context(), end{calls: 3}, perform, &records{w: w, controller: http.NewResponseController(w)})
		}()
		ended := w.received
		time.Sleep(time.Second)
		if w.received != ended || ended != 2*recordBytes {
			t.Errorf("%d bytes are sent at the end of the loop, %d later", ended, w.received)
		}
	})
}
