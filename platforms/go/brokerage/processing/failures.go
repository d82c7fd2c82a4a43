package processing

import (
	"sync"
	"time"
)

// seenAgain is how many pauses a failure may take until it fails again: then its message is gone, completed by
// another processor or removed with its order.
const seenAgain = 10

// failures are the messages whose orders could not be completed. Each is left alone for a pause, or a few of them
// would take up every transaction and nothing behind them would be completed.
type failures struct {
	pause time.Duration

	mu    sync.Mutex
	until map[int64]time.Time // by message id
}

// add says whether the message is new here.
func (f *failures) add(message int64, now time.Time) bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	_, known := f.until[message]
	f.until[message] = now.Add(f.pause)
	return !known
}

// forget drops messages that are no more.
func (f *failures) forget(messages []int64) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, message := range messages {
		delete(f.until, message)
	}
}

// leftAlone lists the messages whose pause is not over, and drops those that have not come again; it is never nil,
// which PostgreSQL would read as unknown.
func (f *failures) leftAlone(now time.Time) []int64 {
	f.mu.Lock()
	defer f.mu.Unlock()
	messages := []int64{}
	for message, until := range f.until {
		switch {
		case now.Before(until):
			messages = append(messages, message)
		case now.Sub(until) > seenAgain*f.pause:
			delete(f.until, message)
		}
	}
	return messages
}
