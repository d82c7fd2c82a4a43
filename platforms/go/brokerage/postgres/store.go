// Package postgres keeps the brokerage in PostgreSQL, through pgx and its pool.
package postgres

import (
	"context"
	"log/slog"
	"sync/atomic"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"

	"middlemark/brokerage"
)

const (
	// operationLimit is how long an operation may take, waiting for a connection included. It outlives a database
	// that stands still for a few seconds, and is short enough that a user still waits.
	operationLimit = 10 * time.Second
	// ConnectLimit is how long making a connection to the database may take.
	ConnectLimit = 2 * time.Second
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
func New(url string, size int32, log *slog.Logger) (*Store, error) {
	config, err := pgxpool.ParseConfig(url)
	if err != nil {
		return nil, err
	}
	config.MaxConns = size
	config.ConnConfig.ConnectTimeout = ConnectLimit
	config.ConnConfig.RuntimeParams["application_name"] = "middlemark-go"
	pool, err := pgxpool.NewWithConfig(context.Background(), config)
	if err != nil {
		return nil, err
	}
	return &Store{pool: pool, log: log}, nil
}

// Ready asks the database for an answer.
func (s *Store) Ready(ctx context.Context) error { return s.pool.Ping(ctx) }

// Close closes every connection, waiting for those in use.
func (s *Store) Close() { s.pool.Close() }

// Ping answers when the services can be reached; it asks nothing of the database.
func (s *Store) Ping(context.Context) error { return nil }

func now() brokerage.Instant { return brokerage.InstantOf(time.Now()) }
