package postgres

import (
	"context"
	"errors"
	"io"
	"math/rand/v2"
	"net"
	"time"

	"github.com/jackc/pgx/v5/pgconn"

	"middlemark/brokerage"
)

const (
	repeats    = 5
	shortPause = 5 * time.Millisecond
	longPause  = 50 * time.Millisecond
)

// SQLSTATE values, PostgreSQL's manual, appendix A.
const (
	deadlockDetected     = "40P01"
	serializationFailure = "40001"
)

// run does one operation's work as attempt does, within the time that a user waits.
func (s *Store) run(ctx context.Context, work func(context.Context) error) error {
	err := s.attempt(ctx, operationLimit, work)
	s.work.count(err)
	return err
}

// attempt does work: repeated after a deadlock or a serialization failure, limited in time, and with errors translated
// into the brokerage's. It goes on when the caller hangs up, because pgx closes a connection whose query is abandoned
// and a pool of fixed size must not lose connections to impatient clients.
func (s *Store) attempt(ctx context.Context, limit time.Duration, work func(context.Context) error) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), limit)
	defer cancel()
	err := work(ctx)
	for range repeats {
		if !mayRepeat(err) {
			break
		}
		time.Sleep(shortPause + rand.N(longPause-shortPause))
		err = work(ctx)
	}
	return s.translated(err)
}

func mayRepeat(err error) bool {
	code := sqlState(err)
	return code == deadlockDetected || code == serializationFailure
}

func sqlState(err error) string {
	var failure *pgconn.PgError
	if errors.As(err, &failure) {
		return failure.Code
	}
	return ""
}

// translated makes the database's failures the brokerage's: what a later attempt can cure is `unavailable`, anything
// else stays as it is and becomes `internal` at the border.
func (s *Store) translated(err error) error {
	switch {
	case err == nil:
		return nil
	case mayRepeat(err), errors.Is(err, context.DeadlineExceeded):
		return brokerage.NotAvailable(err)
	case connectionLost(err):
		s.renew(err)
		return brokerage.NotAvailable(err)
	}
	return err
}

// connectionLost is true for failures to connect, broken connections, and SQLSTATE classes 08 (connection),
// 53 (too many connections, no memory) and 57P0x (the server is being stopped or started).
func connectionLost(err error) bool {
	var connect *pgconn.ConnectError
	var network net.Error
	if errors.As(err, &connect) || errors.As(err, &network) || pgconn.SafeToRetry(err) ||
		errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		return true
	}
	code := sqlState(err)
	return len(code) == 5 && (code[:2] == "08" || code[:2] == "53" || code[:4] == "57P0")
}

// renew replaces all connections: one that is lost tells that the server has gone and the idle ones are lost as well.
func (s *Store) renew(err error) {
	s.pool.Reset()
	s.tell("the database does not answer", err)
}

// tell writes to the log, once a second at most, since a busy process notices a fault of the database in every request.
func (s *Store) tell(what string, err error) {
	second := time.Now().Unix()
	if s.told.Swap(second) != second {
		s.log.Warn(what, "error", err)
	}
}
