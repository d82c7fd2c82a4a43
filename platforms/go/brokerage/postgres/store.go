// Package postgres keeps the brokerage in PostgreSQL, through pgx: a pool of fixed size and statements that pgx
// prepares once for each connection.
package postgres

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync/atomic"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"middlemark/brokerage"
)

const (
	// operationLimit is how long an operation may take, waiting for a connection included. It outlives a database
	// that stands still for a few seconds, and is short enough that a user still waits.
	operationLimit = 10 * time.Second
	connectLimit   = 2 * time.Second
	openPause      = 250 * time.Millisecond

	// RefillPeriod is how often the pool replaces connections it has lost.
	RefillPeriod = time.Second
	// ConnectionLife is longer than any run: a connection is only replaced when it is broken.
	ConnectionLife = 10 * 365 * 24 * time.Hour
)

// readCommitted is the isolation of every transaction that writes: its rows are locked before they are read.
var readCommitted = pgx.TxOptions{IsoLevel: pgx.ReadCommitted}

// Store implements brokerage.Services.
type Store struct {
	pool   *pgxpool.Pool
	size   int32
	log    *slog.Logger
	opened atomic.Bool  // the whole pool has been open once
	told   atomic.Int64 // when the log last heard of a fault
	queued atomic.Bool  // orders are left to a processor
	work   work
}

// New prepares a store whose pool has exactly size connections. It does not wait for the database: Open does.
func New(url string, size int32, log *slog.Logger) (*Store, error) {
	config, err := pgxpool.ParseConfig(url)
	if err != nil {
		return nil, err
	}
	config.MinConns, config.MaxConns = size, size
	config.MaxConnLifetime, config.MaxConnIdleTime = ConnectionLife, ConnectionLife
	config.HealthCheckPeriod = RefillPeriod
	config.ConnConfig.ConnectTimeout = connectLimit
	config.ConnConfig.RuntimeParams["application_name"] = "middlemark-go"
	pool, err := pgxpool.NewWithConfig(context.Background(), config)
	if err != nil {
		return nil, err
	}
	return &Store{pool: pool, size: size, log: log}, nil
}

// Open returns when every connection of the pool is open, however often it has to try, or when ctx ends.
func (s *Store) Open(ctx context.Context) {
	for !s.opened.Load() {
		if err := s.openAll(ctx); err == nil {
			s.opened.Store(true)
			return
		}
		select {
		case <-ctx.Done():
			return
		case <-time.After(openPause):
		}
	}
}

func (s *Store) openAll(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, operationLimit)
	defer cancel()
	held := make([]*pgxpool.Conn, 0, s.size)
	defer func() {
		for _, connection := range held {
			connection.Release()
		}
	}()
	for range s.size {
		connection, err := s.pool.Acquire(ctx)
		if err != nil {
			return err
		}
		held = append(held, connection)
	}
	return nil
}

// Ready says why the store cannot do its work, if it cannot.
func (s *Store) Ready(ctx context.Context) error {
	if err := s.pool.Ping(ctx); err != nil {
		return fmt.Errorf("the database does not answer: %w", err)
	}
	if !s.opened.Load() {
		return errors.New("the connections to the database are being opened")
	}
	return nil
}

// Close closes every connection, waiting for those in use.
func (s *Store) Close() { s.pool.Close() }

// Ping answers when the services can be reached; it asks nothing of the database.
func (s *Store) Ping(context.Context) error { return nil }

func now() brokerage.Instant { return brokerage.InstantOf(time.Now()) }
