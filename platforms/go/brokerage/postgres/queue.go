package postgres

import (
	"context"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"middlemark/brokerage"
	"middlemark/database"
)

// QueueOrders says whether orders placed from now on are left to a processor, or completed with the request.
func (s *Store) QueueOrders(queued bool) { s.queued.Store(queued) }

// insertMessage leaves an order to a processor.
func insertMessage(ctx context.Context, tx pgx.Tx, order brokerage.Order) error {
	_, err := tx.Exec(ctx, `INSERT INTO order_messages (order_id, placed_at) VALUES ($1, $2)`,
		order.OrderID, timestamp(order.OpenTime))
	return err
}

// notify tells the processors that an order has been placed. Without it they find the order at their next look.
func (s *Store) notify(ctx context.Context) {
	if _, err := s.pool.Exec(ctx, `NOTIFY order_messages`); err != nil {
		s.warn("the processors were not notified", err)
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

// CompleteOrders completes the orders of the first size messages, without those left out, in one transaction that takes
// no longer than limit. It answers the ids of the messages that it has taken, also when it fails and completes none of
// their orders: `unavailable` is what a later attempt can cure.
func (s *Store) CompleteOrders(ctx context.Context, size int, leftOut []int64, limit time.Duration) (taken []int64, err error) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), limit)
	defer cancel()
	err = pgx.BeginFunc(ctx, s.pool, func(tx pgx.Tx) error {
		messages, orders, err := takeMessages(ctx, tx, size, leftOut)
		taken = messages
		if err != nil || len(taken) == 0 {
			return err
		}
		if err := lockForOrders(ctx, tx, orders); err != nil {
			return err
		}
		for _, order := range orders {
			if err := completeOrder(ctx, tx, order); err != nil {
				return fmt.Errorf("order %d: %w", order, err)
			}
		}
		_, err = tx.Exec(ctx, `DELETE FROM order_messages WHERE message_id = ANY ($1)`, taken)
		return err
	})
	if err != nil {
		return taken, translated(err)
	}
	s.work.completed.Add(int64(len(taken)))
	return taken, nil
}

// takeMessages locks messages that nobody else has taken and answers their ids and those of their orders. It is planned
// anew each time: a plan made while the queue was empty reads and sorts all of it, and stays when thousands wait.
func takeMessages(ctx context.Context, tx pgx.Tx, size int, leftOut []int64) (messages, orders []int64, err error) {
	rows, err := tx.Query(ctx, `
		SELECT message_id, order_id FROM order_messages
		WHERE message_id <> ALL ($2) ORDER BY message_id LIMIT $1 FOR UPDATE SKIP LOCKED`, pgx.QueryExecModeExec, size, leftOut)
	if err != nil {
		return nil, nil, err
	}
	var message, order int64
	_, err = pgx.ForEachRow(rows, []any{&message, &order}, func() error {
		messages, orders = append(messages, message), append(orders, order)
		return nil
	})
	return messages, orders, err
}

// lockForOrders locks what completing the orders will change, in an order that keeps two transactions for several orders
// from waiting for each other.
func lockForOrders(ctx context.Context, tx pgx.Tx, orders []int64) error {
	var locks pgx.Batch
	for _, lock := range []string{
		`SELECT FROM accounts WHERE account_id IN (SELECT account_id FROM orders WHERE order_id = ANY ($1))
			ORDER BY account_id FOR NO KEY UPDATE`,
		`SELECT FROM holdings WHERE holding_id IN (SELECT holding_id FROM orders WHERE order_id = ANY ($1))
			ORDER BY holding_id FOR UPDATE`,
		`SELECT FROM quotes WHERE symbol IN (SELECT symbol FROM orders WHERE order_id = ANY ($1))
			ORDER BY symbol FOR NO KEY UPDATE`,
	} {
		locks.Queue(lock, orders)
	}
	return tx.SendBatch(ctx, &locks).Close()
}

func completeOrder(ctx context.Context, tx pgx.Tx, orderID int64) error {
	var accountID int64
	o := brokerage.Order{OrderID: orderID}
	err := tx.QueryRow(ctx, `
		SELECT account_id, order_type, symbol, quantity, price, fee, holding_id FROM orders WHERE order_id = $1`, orderID).
		Scan(&accountID, &o.Type, &o.Symbol, &o.Quantity, database.Cents(&o.Price), database.Cents(&o.Fee), &o.HoldingID)
	if err != nil {
		return err
	}
	quote, err := readQuote(ctx, tx, o.Symbol, true)
	if err != nil {
		return err
	}
	return complete(ctx, tx, accountID, quote, &o)
}
