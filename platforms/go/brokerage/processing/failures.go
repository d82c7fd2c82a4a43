package processing

import (
	"sync"
	"time"
)

// failures are the messages whose orders could not be completed, and until when each is left alone. Without it a few of
// them would take up every transaction, and nothing behind them would be completed.
type failures struct {
	mu    sync.Mutex
	until map[int64]time.Time // by message id
}

func (f *failures) add(message int64, until time.Time) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.until[message] = until
}

// leftAlone lists the messages whose time is not over, and forgets the others; it is never nil, which PostgreSQL would read
// as unknown.
func (f *failures) leftAlone(now time.Time) []int64 {
	f.mu.Lock()
	defer f.mu.Unlock()
	messages := []int64{}
	for message, until := range f.until {
		if now.Before(until) {
			messages = append(messages, message)
		} else {
			delete(f.until, message)
		}
	}
	return messages
}
