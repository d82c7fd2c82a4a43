package web

import (
	"net/http"
	"runtime"
	"runtime/metrics"

	"middlemark/brokerage"
)

// Work is what the services and the processor of this process have done, and their connections to the database.
type Work struct {
	Operations, Failed int64
	Placed, Completed  int64 // orders
	Connections, InUse int32
}

// statisticsContent is what this process has done since it was started.
type statisticsContent struct {
	Started  brokerage.Instant
	Uptime   int64  // seconds
	Memory   uint64 // MiB
	Threads  int    // goroutines: what Go runs instead of threads
	Answered int64
	Errors   int64
	Sessions int
	Work     Work
}

func (s *Site) statistics(v visit) error {
	now := s.options.Now()
	s.show(v, http.StatusOK, page{Name: "statistics", Title: "Statistics", Content: statisticsContent{
		Started:  brokerage.InstantOf(s.started),
		Uptime:   int64(now.Sub(s.started).Seconds()),
		Memory:   memory() >> 20,
		Threads:  runtime.NumGoroutine(),
		Answered: s.answered.Load(),
		Errors:   s.errors.Load(),
		Sessions: s.sessions.count(now),
		Work:     s.options.Work(),
	}})
	return nil
}

// memory is what the runtime has from the operating system, in bytes.
func memory() uint64 {
	samples := []metrics.Sample{{Name: "/memory/classes/total:bytes"}, {Name: "/memory/classes/heap/released:bytes"}}
	metrics.Read(samples)
	return samples[0].Value.Uint64() - samples[1].Value.Uint64()
}
