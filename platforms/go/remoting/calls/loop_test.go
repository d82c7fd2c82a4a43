package calls

import (
	"encoding/binary"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"
	"time"

	"middlemark/refusals"
	"middlemark/remoting"
	"middlemark/remoting/messages"
)

// recordBytes is the length of a record (specs/remoting/loops.md).
const recordBytes = 24

// looping answers the records of a loop of calls.
func looping(t *testing.T, calls int, perform func(number int) (any, error)) io.Reader {
	t.Helper()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		number := 0
		next := func() (any, error) {
			number++
			return perform(number)
		}
		if err := run(r.Context(), end{calls: calls}, next, &records{w: w, controller: http.NewResponseController(w)}); err != nil {
			t.Error(err)
		}
	}))
	t.Cleanup(server.Close)
	response, err := (&http.Client{Timeout: 30 * time.Second}).Get(server.URL)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = response.Body.Close() }) // it may have been read
	return response.Body
}

func TestRecordsAreSentWhileTheNextCallWaitsForItsAnswer(t *testing.T) {
	waiting := make(chan struct{})
	answer := sync.OnceFunc(func() { close(waiting) })
	defer answer() // the server waits for it when it is closed
	body := looping(t, 3, func(number int) (any, error) {
		if number == 3 {
			<-waiting
		}
		return &messages.OrderID{OrderID: int64(number)}, nil
	})
	if _, err := io.ReadFull(body, make([]byte, 2*recordBytes)); err != nil {
		t.Fatalf("the records of two calls do not come: %v", err)
	}
	answer()
	if rest, err := io.ReadAll(body); err != nil || len(rest) != recordBytes {
		t.Errorf("after them come %d bytes, %v", len(rest), err)
	}
}

func TestARecordTellsHowLongItsCallTookAndHowItEnded(t *testing.T) {
	const pause = 20 * time.Millisecond
	body := looping(t, 2, func(number int) (any, error) {
		if number == 1 {
			return nil, remoting.NotAllowed()
		}
		time.Sleep(pause)
		return nil, refusals.NotAvailable(errors.New("nobody answers"))
	})
	sent, err := io.ReadAll(body)
	if err != nil || len(sent) != 2*recordBytes {
		t.Fatalf("%d bytes are sent, %v", len(sent), err)
	}
	if sent[15] != 4 || sent[recordBytes+15] != 5 {
		t.Errorf("the outcomes are %d and %d", sent[15], sent[recordBytes+15])
	}
	took := time.Duration(0)
	for _, digit := range sent[recordBytes+8 : recordBytes+15] {
		took = took<<8 | time.Duration(digit)
	}
	if took < pause || took > 20*time.Second {
		t.Errorf("the second call took %v", took)
	}
}

func TestARecordHasTheIDOfTheOrderThatItsCallStored(t *testing.T) {
	body := looping(t, 4, func(number int) (any, error) {
		switch number {
		case 1, 3:
			return &messages.OrderID{OrderID: int64(number) << 40}, nil
		case 2:
			return nil, refusals.NotAvailable(errors.New("nobody answers"))
		}
		return &messages.Nothing{}, nil
	})
	sent, err := io.ReadAll(body)
	if err != nil || len(sent) != 4*recordBytes {
		t.Fatalf("%d bytes are sent, %v", len(sent), err)
	}
	for i, want := range []uint64{1 << 40, 0, 3 << 40, 0} {
		if got := binary.BigEndian.Uint64(sent[i*recordBytes+16:]); got != want {
			t.Errorf("record %d has the id %d, want %d", i, got, want)
		}
	}
}
