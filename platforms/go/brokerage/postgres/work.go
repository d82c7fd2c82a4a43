package postgres

import (
	"sync/atomic"

	"middlemark/refusals"
)

// work counts what the store has done since it was made.
type work struct {
	operations, failed, placed, completed atomic.Int64
}

func (w *work) count(err error) {
	w.operations.Add(1)
	if err == nil {
		return
	}
	switch refusals.Of(err).Code {
	case refusals.Unavailable, refusals.Internal:
		w.failed.Add(1)
	}
}

// Work is what the store has done since it was made.
type Work struct {
	Operations, Failed int64 // what the database was asked for, and could not answer
	Placed, Completed  int64 // orders
}

// Work reads the counters.
func (s *Store) Work() Work {
	return Work{
		Operations: s.work.operations.Load(), Failed: s.work.failed.Load(),
		Placed: s.work.placed.Load(), Completed: s.work.completed.Load(),
	}
}
