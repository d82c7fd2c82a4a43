// Package postgres keeps the brokerage in PostgreSQL, through pgx and its pool.
package postgres

import (
	"context"
	"log/slog"
	"sync/atomic"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"

	"middlemark/brokerage"
	"middlemark/database"
)

// Store implements brokerage.Services.
type Store struct {
	pool       *pgxpool.Pool
	log        *slog.Logger
	lastLogged atomic.Int64 // the second in which the log last heard of a fault
	queued     atomic.Bool  // orders are left to a processor
	work       work
}

// New prepares a store with at most size connections. It does not wait for the database.
func New(url string, size int, log *slog.Logger) (*Store, error) {
	pool, err := database.NewPool(url, size)
	if err != nil {
		return nil, err
	}
	return &Store{pool: pool, log: log}, nil
}

// Pool is the connections to the database.
func (s *Store) Pool() *pgxpool.Pool { return s.pool }

// Ready asks the database for an answer.
func (s *Store) Ready(ctx context.Context) error { return s.pool.Ping(ctx) }

// Close closes every connection, waiting for those in use.
func (s *Store) Close() { s.pool.Close() }

// Ping answers when the services can be reached; it asks nothing of the database.
func (s *Store) Ping(context.Context) error { return nil }

func now() brokerage.Instant { return brokerage.InstantOf(time.Now()) }
