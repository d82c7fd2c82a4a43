package calls

import (
	"context"
	"encoding/binary"
	"errors"
	"io"
	"net/http"
	"strconv"
	"sync"
	"time"

	"middlemark/refusals"
	"middlemark/remoting"
	"middlemark/remoting/client"
	"middlemark/remoting/messages"
)

// Limits of a loop (specs/remoting/loops.md).
const (
	maxSeconds = 60
	maxCalls   = 1_000_000
)

const (
	// sendAfter is how long records wait for others before the loop sends them, between two calls.
	sendAfter = 4 * time.Millisecond
	// flushAfter is how long a record waits while a call has no answer: within the 10 ms that are allowed.
	flushAfter = 8 * time.Millisecond
	// readerLimit is the time that the reader of a loop has to take records.
	readerLimit = 10 * time.Second
)

// outcome is how a call ended.
type outcome byte

const (
	answered outcome = iota
	different
)

var outcomes = map[refusals.Code]outcome{
	refusals.InvalidInput: 2, remoting.Unauthenticated: 3, remoting.Forbidden: 4, refusals.Unavailable: 5, refusals.Internal: 6,
}

var errFinished = errors.New("the loop has ended")

// loop makes calls one after the other and reports each.
func (d desk) loop(w http.ResponseWriter, r *http.Request, proxy client.Proxy, name string) error {
	until, err := endOf(r)
	if err != nil {
		return err
	}
	request, err := requestOf(name, nil)
	if err != nil {
		return err
	}
	if _, err := io.Copy(io.Discard, r.Body); err != nil { // a body has no meaning
		return refusals.Malformed(err)
	}
	controller := http.NewResponseController(w)
	// A loop takes longer than a page: the deadline to send it is that of each part.
	if err := controller.SetReadDeadline(time.Time{}); err != nil {
		return err
	}
	out := &records{w: w, controller: controller}
	operation := messages.Operations[name]
	perform := func() (any, error) { return operation.Perform(r.Context(), proxy, request) }
	return run(r.Context(), until, perform, out)
}

// run makes calls until the end or until the reader has gone.
func run(ctx context.Context, until end, perform func() (any, error), out *records) error {
	defer out.finish()
	check := new(checker)
	begin := time.Now()
	for calls := 0; !until.reached(calls, begin) && ctx.Err() == nil; calls++ {
		began := time.Now()
		answer, err := perform()
		took := time.Since(began)
		if calls == 0 && err == nil {
			hash, err := hashOf(answer)
			if err != nil {
				return err
			}
			out.w.Header().Set(hashHeader, hash)
		}
		if !out.add(record{began.Sub(begin), took, check.outcome(answer, err), idOf(answer)}) {
			break
		}
	}
	return nil
}

// idOf is the id of what a call stored; 0 where its answer names none.
func idOf(answer any) uint64 {
	if order, is := answer.(*messages.OrderID); is {
		return uint64(order.OrderID)
	}
	return 0
}

// end is when a loop ends: after a time or after a number of calls.
type end struct {
	after time.Duration
	calls int
}

func (e end) reached(calls int, begin time.Time) bool {
	if e.calls > 0 {
		return calls >= e.calls
	}
	return time.Since(begin) >= e.after
}

func endOf(r *http.Request) (end, error) {
	seconds, calls := r.FormValue("seconds"), r.FormValue("calls")
	switch {
	case (seconds == "") == (calls == ""):
		return end{}, refusals.New(refusals.InvalidInput, "A loop has either seconds or calls.")
	case calls != "":
		n, err := within("calls", calls, maxCalls)
		return end{calls: n}, err
	}
	n, err := within("seconds", seconds, maxSeconds)
	return end{after: time.Duration(n) * time.Second}, err
}

func within(name, text string, most int) (int, error) {
	n, err := strconv.Atoi(text)
	if err != nil || n < 1 || n > most {
		return 0, refusals.New(refusals.InvalidInput, "The number of %s must be whole and from 1 to %d.", name, most)
	}
	return n, nil
}

// record is the report of a call.
type record struct {
	began, took time.Duration
	ended       outcome
	id          uint64
}

// records are the reports of calls that are not sent yet. The loop sends them between its calls, where sending is no part of a
// call's time; a timer does while a call waits for its answer.
type records struct {
	w          http.ResponseWriter
	controller *http.ResponseController

	mu      sync.Mutex
	waiting []byte
	oldest  time.Duration // when the call of the first waiting record ended
	timer   *time.Timer   // nil before the first record was sent
	failed  error         // the reader has gone
}

// add keeps a record until the others of its time are sent; false when the reader has gone.
func (r *records) add(call record) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	now := call.began + call.took
	if len(r.waiting) == 0 && r.timer != nil {
		r.oldest = now
		r.timer.Reset(flushAfter)
	}
	r.waiting = binary.BigEndian.AppendUint64(r.waiting, uint64(call.began))
	r.waiting = binary.BigEndian.AppendUint64(r.waiting, uint64(call.took)<<8|uint64(call.ended)) // the duration has 7 bytes
	r.waiting = binary.BigEndian.AppendUint64(r.waiting, call.id)
	// With the first one goes the header.
	if r.timer == nil {
		r.w.Header().Set("Content-Type", "application/octet-stream")
		r.send()
		r.timer = time.AfterFunc(flushAfter, r.flush)
	} else if now-r.oldest >= sendAfter {
		r.timer.Stop()
		r.send()
	}
	return r.failed == nil
}

// flush sends the waiting records.
func (r *records) flush() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.send()
}

func (r *records) send() {
	if len(r.waiting) == 0 || r.failed != nil {
		return
	}
	if r.failed = r.controller.SetWriteDeadline(time.Now().Add(readerLimit)); r.failed != nil {
		return
	}
	if _, r.failed = r.w.Write(r.waiting); r.failed == nil {
		r.failed = r.controller.Flush()
	}
	r.waiting = r.waiting[:0]
}

// finish sends the last ones; after it nothing is sent.
func (r *records) finish() {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.timer != nil {
		r.timer.Stop()
	}
	r.send()
	r.failed = errFinished
}
