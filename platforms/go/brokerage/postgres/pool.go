package postgres

import "time"

// Pool is the connections to the database at one moment.
type Pool struct {
	Size   int           // the most there can be
	InUse  int           // given out
	Waited time.Duration // since the start, by all operations that found none free
}

// Pool tells what pgx counts of its connections.
func (s *Store) Pool() Pool {
	stat := s.pool.Stat()
	return Pool{
		Size:   int(stat.MaxConns()),
		InUse:  int(stat.AcquiredConns()),
		Waited: stat.EmptyAcquireWaitTime(),
	}
}
