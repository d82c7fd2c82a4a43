package web

import (
	"net/http"
	"runtime"
	"time"

	"middlemark/brokerage"
)

// Work is what the services and the processor of this process have done.
type Work struct {
	Operations, Failed int64
	Placed, Completed  int64 // orders
}

// statisticsContent is what this process has done since it was started.
type statisticsContent struct {
	Started  brokerage.Instant
	Uptime   int64 // seconds
	Threads  int   // goroutines: what Go runs instead of threads
	Answered int64
	Errors   int64
	Sessions int
	Work     Work
}

func (s *Site) statistics(v visit) error {
	s.show(v, http.StatusOK, page{Name: "statistics", Title: "Statistics", Content: statisticsContent{
		Started:  brokerage.InstantOf(s.started),
		Uptime:   int64(time.Since(s.started).Seconds()),
		Threads:  runtime.NumGoroutine(),
		Answered: s.answered.Load(),
		Errors:   s.errors.Load(),
		Sessions: s.sessions.Count(),
		Work:     s.options.Work(),
	}})
	return nil
}
