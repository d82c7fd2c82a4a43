// Package postgres keeps the shop in two databases, through pgx and its pools.
package postgres

import (
	"context"
	"errors"
	"log/slog"
	"sync/atomic"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"middlemark/database"
	"middlemark/refusals"
)

// Store is the databases of a process. A process without the role web has no catalog.
type Store struct {
	catalog    *pgxpool.Pool
	orders     *pgxpool.Pool
	static     static
	finished   finished
	doubtAge   time.Duration // after how long a prepared transaction is recovery's
	log        *slog.Logger
	lastLogged atomic.Int64 // the second in which the log last heard of a fault
}

// New keeps static data for `age`; `catalog` may be nil.
func New(catalog, orders *pgxpool.Pool, age time.Duration, log *slog.Logger) *Store {
	return &Store{catalog: catalog, orders: orders, static: newStatic(age), doubtAge: doubtAge, log: log}
}

// run does the work of one operation, with errors translated into the shop's.
func (s *Store) run(ctx context.Context, work func(context.Context) error) error {
	err := translated(database.Attempt(ctx, work))
	if errors.Is(err, refusals.Unavailable) {
		s.warn("a database does not answer", err)
	}
	return err
}

// translated makes the database's failures the shop's: what a later attempt can cure is `unavailable`.
func translated(err error) error {
	if database.IsCurable(err) {
		return refusals.NotAvailable(err)
	}
	return err
}

// warn writes to the log, once a second at most, since a busy process notices a fault of a database in every request.
func (s *Store) warn(what string, err error) {
	second := time.Now().Unix()
	if s.lastLogged.Swap(second) != second {
		s.log.Warn(what, "error", err)
	}
}

// collect reads all rows of a query.
func collect[Row any](ctx context.Context, from *pgxpool.Pool, read pgx.RowToFunc[Row], query string, args ...any) ([]Row, error) {
	rows, err := from.Query(ctx, query, args...)
	if err != nil {
		return nil, err
	}
	return pgx.CollectRows(rows, read)
}
