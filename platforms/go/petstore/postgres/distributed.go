package postgres

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgxpool"

	"middlemark/database"
	"middlemark/refusals"
)

// idPrefix begins the id of every distributed transaction of this application (specs/petstore/transactions.md).
const idPrefix = "petstore:"

// The SQLSTATE of a prepared transaction that is not there, and of one that somebody else is ending.
const (
	undefinedObject = "42704"
	isBusy          = "55000"
)

// Outcomes of a distributed transaction.
const (
	committed = "commit"
	aborted   = "abort"
)

// Names of the branches, behind the id: what is prepared has names of its own in a whole server, which may have both databases.
const (
	catalogBranch = ":catalog"
	ordersBranch  = ":orders"
)

// work is what a branch does before it is prepared.
type work func(ctx context.Context, tx *pgxpool.Conn) error

// distributed runs one transaction over both databases: both branches are prepared, the decision is written, both commit.
func (s *Store) distributed(ctx context.Context, inCatalog, inOrders work) error {
	return branch(ctx, s.catalog, inCatalog, func(catalog *pgxpool.Conn) error {
		return branch(ctx, s.orders, inOrders, func(orders *pgxpool.Conn) error {
			return s.commit(ctx, idPrefix+rand.Text(), catalog, orders)
		})
	})
}

// commit ends both branches on their own connections: those of the pool may all wait for what the branches have locked.
func (s *Store) commit(ctx context.Context, id string, catalog, orders *pgxpool.Conn) error {
	err := inBoth(
		func() error { return prepare(ctx, catalog, id+catalogBranch) },
		func() error { return prepare(ctx, orders, id+ordersBranch) })
	if err != nil {
		_ = s.finish(ctx, id, aborted, catalog, orders) // what cannot be reached now has no decision, so that recovery aborts it
		return err
	}
	outcome, err := s.decide(ctx, id, committed, orders)
	if err != nil {
		return refusals.NotAvailable(fmt.Errorf("transaction %s is left to recovery: %w", id, err))
	}
	if err := s.finish(ctx, id, outcome, catalog, orders); err != nil {
		return refusals.NotAvailable(fmt.Errorf("transaction %s is left to recovery: %w", id, err))
	}
	if outcome == aborted {
		return refusals.NotAvailable(fmt.Errorf("transaction %s was aborted by recovery", id))
	}
	s.finished.add(id)
	return nil
}

// branch begins a transaction on a connection, does its work, and lets `then` end it. A connection whose transaction has not
// ended is closed, which rolls it back.
func branch(ctx context.Context, pool *pgxpool.Pool, do work, then func(*pgxpool.Conn) error) error {
	return pool.AcquireFunc(ctx, func(conn *pgxpool.Conn) error {
		if _, err := conn.Exec(ctx, "BEGIN"); err != nil {
			return err
		}
		err := do(ctx, conn)
		if err == nil {
			err = then(conn)
		}
		if err != nil && conn.Conn().PgConn().TxStatus() != 'I' {
			_, _ = conn.Exec(ctx, "ROLLBACK") // the reason is err
		}
		return err
	})
}

// prepare ends a branch's transaction on its connection. PostgreSQL rolls a failed one back without an error.
func prepare(ctx context.Context, conn *pgxpool.Conn, name string) error {
	tag, err := conn.Exec(ctx, "PREPARE TRANSACTION '"+name+"'", pgx.QueryExecModeSimpleProtocol)
	if err == nil && tag.String() != "PREPARE TRANSACTION" {
		err = fmt.Errorf("the transaction was not prepared but ended with %s", tag)
	}
	return err
}

// inBoth does something in both databases at once.
func inBoth(inCatalog, inOrders func() error) error {
	first := make(chan error, 1)
	go func() { first <- inCatalog() }()
	second := inOrders()
	return errors.Join(<-first, second)
}

// session is a connection, or a pool that gives one for each statement.
type session interface {
	Exec(ctx context.Context, sql string, arguments ...any) (pgconn.CommandTag, error)
	QueryRow(ctx context.Context, sql string, arguments ...any) pgx.Row
}

// decide writes an outcome under the id, unless there is one, and answers the one in effect.
func (s *Store) decide(ctx context.Context, id, outcome string, orders session) (inEffect string, err error) {
	for _, over := range []session{orders, s.orders} { // a connection that was lost has left it open whether the decision was written
		_, err = over.Exec(ctx, `INSERT INTO decisions (transaction_id, outcome, decided_at) VALUES ($1, $2, now()) ON CONFLICT DO NOTHING`,
			id, outcome)
		if err == nil {
			err = over.QueryRow(ctx, `SELECT outcome FROM decisions WHERE transaction_id = $1`, id).Scan(&inEffect)
		}
		if err == nil || !database.Away(err) {
			return inEffect, err
		}
	}
	return "", err
}

// finish commits or rolls back what is prepared of a transaction in both databases.
func (s *Store) finish(ctx context.Context, id, outcome string, catalog, orders session) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), finishLimit)
	defer cancel()
	return inBoth(
		func() error { return finishBranch(ctx, id+catalogBranch, outcome, catalog, s.catalog) },
		func() error { return finishBranch(ctx, id+ordersBranch, outcome, orders, s.orders) })
}

func finishBranch(ctx context.Context, name, outcome string, over, another session) error {
	statement := "ROLLBACK PREPARED '" + name + "'"
	if outcome == committed {
		statement = "COMMIT PREPARED '" + name + "'"
	}
	_, err := over.Exec(ctx, statement, pgx.QueryExecModeSimpleProtocol)
	if database.Away(err) {
		_, err = another.Exec(ctx, statement, pgx.QueryExecModeSimpleProtocol)
	}
	switch database.SQLState(err) {
	case undefinedObject, isBusy: // it was never prepared, has been finished, or another recovery is finishing it
		return nil
	}
	return err
}
