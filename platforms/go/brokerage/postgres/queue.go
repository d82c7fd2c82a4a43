package postgres

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
)

// QueueOrders says whether orders placed from now on are left to a processor, or completed with the request.
func (s *Store) QueueOrders(queued bool) { s.queued.Store(queued) }

// leaveMessage leaves the order to a processor.
func (t *trade) leaveMessage(ctx context.Context) error {
	_, err := t.tx.Exec(ctx, `INSERT INTO order_messages (order_id, placed_at) VALUES ($1, $2)`,
		t.order.OrderID, timestamp(t.order.OpenTime))
	return err
}

// notify wakes the processors. Inside the transaction it would make all placing transactions commit one after the
// other. When it fails the order is placed all the same, and found by the next look.
func (s *Store) notify(ctx context.Context, connection *pgxpool.Conn) {
	_, err := connection.Exec(ctx, `NOTIFY order_messages`)
	switch {
	case err == nil:
	case errors.Is(err, context.DeadlineExceeded): // a net.Error too, but a slow database has lost no connection
		s.tell("the processors were not notified", err)
	case connectionLost(err):
		s.renew(err)
	default:
		s.tell("the processors were not notified", err)
	}
}

// Listen calls placed for each notification that an order has been placed, until ctx ends or the connection is lost.
// The connection is its own: a pooled one could not wait.
func (s *Store) Listen(ctx context.Context, placed func()) error {
	connection, err := pgx.ConnectConfig(ctx, s.pool.Config().ConnConfig)
	if err != nil {
		return err
	}
	defer func() { _ = connection.Close(context.WithoutCancel(ctx)) }() // nothing depends on a clean goodbye
	if _, err := connection.Exec(ctx, `LISTEN order_messages`); err != nil {
		return err
	}
	for {
		if _, err := connection.WaitForNotification(ctx); err != nil {
			return err
		}
		placed()
	}
}

// Completion is what one transaction of a processor has done with the messages that it has taken.
type Completion struct {
	Completed []int64         // message ids
	Failed    map[int64]error // by message id, why its order could not be completed
}

// CompleteOrders completes the orders of up to size messages in one transaction, except those of the messages left out.
func (s *Store) CompleteOrders(ctx context.Context, size int, limit time.Duration, leftOut []int64) (Completion, error) {
	var done Completion
	err := s.attempt(ctx, limit, func(ctx context.Context) error {
		return pgx.BeginTxFunc(ctx, s.pool, readCommitted, func(tx pgx.Tx) (err error) {
			done, err = completeMessages(ctx, tx, size, leftOut)
			return err
		})
	})
	if err == nil {
		s.work.completed.Add(int64(len(done.Completed)))
	}
	return done, err
}

func completeMessages(ctx context.Context, tx pgx.Tx, size int, leftOut []int64) (Completion, error) {
	orders, err := takeMessages(ctx, tx, size, leftOut)
	if err != nil || len(orders) == 0 {
		return Completion{}, err
	}
	if err := lockFor(ctx, tx, slices.Collect(maps.Values(orders))); err != nil {
		return Completion{}, err
	}
	done := Completion{Failed: make(map[int64]error)}
	for _, message := range slices.Sorted(maps.Keys(orders)) {
		err := pgx.BeginFunc(ctx, tx, func(savepoint pgx.Tx) error {
			return completeOrder(ctx, savepoint, orders[message])
		})
		switch {
		case err == nil:
			done.Completed = append(done.Completed, message)
		case curable(ctx, err):
			return Completion{}, err
		default:
			done.Failed[message] = fmt.Errorf("order %d: %w", orders[message], err)
		}
	}
	_, err = tx.Exec(ctx, `DELETE FROM order_messages WHERE message_id = ANY ($1)`, done.Completed)
	return done, err
}

// takeMessages locks messages that nobody else has taken, and answers their order ids. It is planned anew each time: a
// plan made while the queue was empty reads and sorts all of it, and stays when thousands wait.
func takeMessages(ctx context.Context, tx pgx.Tx, size int, leftOut []int64) (map[int64]int64, error) {
	rows, err := tx.Query(ctx, `
		SELECT message_id, order_id FROM order_messages
		WHERE message_id <> ALL ($2) ORDER BY message_id LIMIT $1 FOR UPDATE SKIP LOCKED`, pgx.QueryExecModeExec, size, leftOut)
	if err != nil {
		return nil, err
	}
	orders := make(map[int64]int64)
	var message, order int64
	_, err = pgx.ForEachRow(rows, []any{&message, &order}, func() error {
		orders[message] = order
		return nil
	})
	return orders, err
}

// lockFor locks what completing the orders will lock, in the order that keeps two transactions for several orders from
// waiting for each other. It reads no values, because an unreadable one must stop its own order only.
func lockFor(ctx context.Context, tx pgx.Tx, orderIDs []int64) error {
	var locks pgx.Batch
	for _, lock := range []string{
		`SELECT FROM accounts WHERE account_id IN (SELECT account_id FROM orders WHERE order_id = ANY ($1))
			ORDER BY account_id FOR NO KEY UPDATE`,
		`SELECT FROM holdings WHERE holding_id IN (SELECT holding_id FROM orders WHERE order_id = ANY ($1))
			ORDER BY holding_id FOR UPDATE`,
		`SELECT FROM quotes WHERE symbol IN (SELECT symbol FROM orders WHERE order_id = ANY ($1))
			ORDER BY symbol FOR NO KEY UPDATE`,
	} {
		locks.Queue(lock, orderIDs)
	}
	return tx.SendBatch(ctx, &locks).Close()
}

func completeOrder(ctx context.Context, tx pgx.Tx, orderID int64) error {
	t := &trade{tx: tx}
	return inTurn(ctx,
		func(ctx context.Context) error { return t.readOrder(ctx, orderID) },
		func(ctx context.Context) error { return t.readQuote(ctx, t.order.Symbol) },
		t.complete,
	)
}

func (t *trade) readOrder(ctx context.Context, orderID int64) error {
	o := &t.order
	o.OrderID = orderID
	return t.tx.QueryRow(ctx, `
		SELECT account_id, order_type, symbol, quantity, price, fee, holding_id FROM orders WHERE order_id = $1`, orderID).
		Scan(&t.accountID, &o.Type, &o.Symbol, &o.Quantity, cents(&o.Price), cents(&o.Fee), &o.HoldingID)
}

// curable says that a later attempt can succeed: the fault is not the order's.
func curable(ctx context.Context, err error) bool {
	return ctx.Err() != nil || mayRepeat(err) || connectionLost(err)
}
