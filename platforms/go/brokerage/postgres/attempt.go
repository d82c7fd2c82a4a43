package postgres

import (
	"context"
	"errors"
	"io"
	"math/rand/v2"
	"net"
	"strings"
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
	tooManyConnections   = "53300"
)

// run does the work of one operation: repeated after a deadlock or a serialization failure, within the time that a user
// waits, and with errors translated into the brokerage's. It goes on when the caller hangs up, because pgx closes a
// connection whose query is abandoned, and impatient clients must not cost connections.
func (s *Store) run(ctx context.Context, work func(context.Context) error) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), operationLimit)
	defer cancel()
	err := work(ctx)
	for range repeats {
		if !mayRepeat(err) {
			break
		}
		time.Sleep(shortPause + rand.N(longPause-shortPause))
		err = work(ctx)
	}
	err = translated(err)
	s.work.count(err)
	if errors.Is(err, brokerage.Unavailable) {
		s.warn("the database does not answer", err)
	}
	return err
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
func translated(err error) error {
	if mayRepeat(err) || errors.Is(err, context.DeadlineExceeded) || Away(err) {
		return brokerage.NotAvailable(err)
	}
	return err
}

// Away is true when the database cannot be reached or a connection to it was lost: failures to connect, broken
// connections, and the SQLSTATEs of class 08 (connection), 53300 (too many connections) and 57P0x (the server is being
// stopped or started).
func Away(err error) bool {
	var connect *pgconn.ConnectError
	if errors.As(err, &connect) {
		return true
	}
	if errors.Is(err, context.DeadlineExceeded) { // a net.Error too, but a slow database has lost no connection
		return false
	}
	var network net.Error
	if errors.As(err, &network) || pgconn.SafeToRetry(err) || errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		return true
	}
	code := sqlState(err)
	return strings.HasPrefix(code, "08") || strings.HasPrefix(code, "57P0") || code == tooManyConnections
}

// warn writes to the log, once a second at most, since a busy process notices a fault of the database in every request.
func (s *Store) warn(what string, err error) {
	second := time.Now().Unix()
	if s.lastLogged.Swap(second) != second {
		s.log.Warn(what, "error", err)
	}
}
