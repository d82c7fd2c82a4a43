package database

import (
	"context"
	"errors"
	"io"
	"math/rand/v2"
	"net"
	"strings"
	"time"

	"github.com/jackc/pgx/v5/pgconn"
)

// OperationLimit is how long an operation may take, waiting for a connection included. It outlives a database that stands
// still for a few seconds, and is short enough that a user still waits.
const OperationLimit = 10 * time.Second

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

// Attempt does the work of one operation: repeated after a deadlock or a serialization failure, within the time that a user
// waits. It goes on when the caller hangs up, because pgx closes a connection whose query is abandoned, and impatient
// clients must not cost connections.
func Attempt(ctx context.Context, work func(context.Context) error) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), OperationLimit)
	defer cancel()
	err := work(ctx)
	for range repeats {
		if !mayRepeat(err) {
			break
		}
		time.Sleep(shortPause + rand.N(longPause-shortPause))
		err = work(ctx)
	}
	return err
}

// IsCurable says whether a later attempt may succeed: the request is refused as `unavailable`.
func IsCurable(err error) bool {
	return mayRepeat(err) || errors.Is(err, context.DeadlineExceeded) || Away(err)
}

func mayRepeat(err error) bool {
	code := SQLState(err)
	return code == deadlockDetected || code == serializationFailure
}

// SQLState is the code of PostgreSQL's error, or the empty text.
func SQLState(err error) string {
	var failure *pgconn.PgError
	if errors.As(err, &failure) {
		return failure.Code
	}
	return ""
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
	code := SQLState(err)
	return strings.HasPrefix(code, "08") || strings.HasPrefix(code, "57P0") || code == tooManyConnections
}
