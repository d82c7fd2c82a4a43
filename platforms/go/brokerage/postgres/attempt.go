package postgres

import (
	"context"
	"errors"
	"time"

	"middlemark/database"
	"middlemark/refusals"
)

// run does the work of one operation, with errors translated into the brokerage's.
func (s *Store) run(ctx context.Context, work func(context.Context) error) error {
	err := translated(database.Attempt(ctx, work))
	s.work.count(err)
	if errors.Is(err, refusals.Unavailable) {
		s.warn("the database does not answer", err)
	}
	return err
}

// translated makes the database's failures the brokerage's: what a later attempt can cure is `unavailable`, anything
// else stays as it is and becomes `internal` at the border.
func translated(err error) error {
	if database.IsCurable(err) {
		return refusals.NotAvailable(err)
	}
	return err
}

// warn writes to the log, once a second at most, since a busy process notices a fault of the database in every request.
func (s *Store) warn(what string, err error) {
	second := time.Now().Unix()
	if s.lastLogged.Swap(second) != second {
		s.log.Warn(what, "error", err)
	}
}
