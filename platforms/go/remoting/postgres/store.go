// Package postgres is the service over PostgreSQL, through pgx and its pool.
package postgres

import (
	"context"
	"log/slog"
	"sync/atomic"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"middlemark/database"
	"middlemark/refusals"
	"middlemark/remoting"
)

// Store implements remoting.Service.
type Store struct {
	pool       *pgxpool.Pool
	log        *slog.Logger
	lastLogged atomic.Int64 // the second in which the log last heard of a fault
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

// Ping implements remoting.Service; it asks nothing of the database.
func (s *Store) Ping(context.Context) error { return nil }

// SQLSTATE of a row that refers to one that does not exist, PostgreSQL's manual, appendix A.
const foreignKeyViolation = "23503"

// run does the work of one operation, with errors translated into the specification's.
func (s *Store) run(ctx context.Context, work func(context.Context) error) error {
	err := database.Attempt(ctx, work)
	switch {
	case err == nil:
		return nil
	case database.IsCurable(err):
		if second := time.Now().Unix(); s.lastLogged.Swap(second) != second {
			s.log.Warn("the database does not answer", "error", err)
		}
		return refusals.NotAvailable(err)
	case database.SQLState(err) == foreignKeyViolation:
		return refusals.New(refusals.InvalidInput, "The customer or a product of the order does not exist.")
	}
	return err
}

// queried reads all rows of a query.
func (s *Store) queried(ctx context.Context, read func(pgx.Rows) error, query string, args ...any) error {
	return s.run(ctx, func(ctx context.Context) error {
		rows, err := s.pool.Query(ctx, query, args...)
		if err != nil {
			return err
		}
		defer rows.Close()
		if err := read(rows); err != nil {
			return err
		}
		return rows.Err()
	})
}

var _ remoting.Service = (*Store)(nil)
