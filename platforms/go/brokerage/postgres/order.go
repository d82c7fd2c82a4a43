package postgres

import (
	"context"

	"github.com/jackc/pgx/v5"

	"middlemark/brokerage"
)

const orderColumns = `o.order_id, o.order_type, o.status, o.symbol, o.quantity, o.price, o.fee,
	o.open_time, o.completion_time, o.holding_id`

func scanOrder(row pgx.CollectableRow) (brokerage.Order, error) {
	var o brokerage.Order
	var completed *timestamp
	err := row.Scan(&o.OrderID, &o.Type, &o.Status, &o.Symbol, &o.Quantity, cents(&o.Price), cents(&o.Fee),
		instant(&o.OpenTime), &completed, &o.HoldingID)
	o.CompletionTime = (*brokerage.Instant)(completed)
	return o, err
}

// orders runs a statement that answers orders of a user; nothing found is refused when there is no such user.
func (s *Store) orders(ctx context.Context, userID, sql string, more ...any) ([]brokerage.Order, error) {
	var orders []brokerage.Order
	err := s.run(ctx, func(ctx context.Context) error {
		rows, err := s.pool.Query(ctx, sql, append([]any{userID}, more...)...)
		if err != nil {
			return err
		}
		orders, err = pgx.CollectRows(rows, scanOrder)
		if err == nil && len(orders) == 0 {
			return s.requireUser(ctx, userID)
		}
		return err
	})
	return orders, err
}

// GetOrders reads the newest orders of a user. The account is a value and not joined, so that PostgreSQL reads the
// index on account and order backwards, and only as far as the limit, however many orders the user has.
func (s *Store) GetOrders(ctx context.Context, userID string, limit int) ([]brokerage.Order, error) {
	return s.orders(ctx, userID, `
		SELECT `+orderColumns+` FROM orders o WHERE o.account_id = (SELECT account_id FROM accounts WHERE user_id = $1)
		ORDER BY o.order_id DESC LIMIT $2`, limit)
}

// GetClosedOrders reads and marks the orders whose alert is due. The rows are locked before they are marked: a second
// look at the same time waits, finds them seen and leaves them out.
func (s *Store) GetClosedOrders(ctx context.Context, userID string) ([]brokerage.Order, error) {
	return s.orders(ctx, userID, `
		WITH due AS (
			SELECT o.order_id FROM orders o
			WHERE o.account_id = (SELECT account_id FROM accounts WHERE user_id = $1) AND o.status = 'closed' AND NOT o.seen
			ORDER BY o.order_id FOR NO KEY UPDATE
		), o AS (
			UPDATE orders SET seen = true FROM due WHERE orders.order_id = due.order_id RETURNING orders.*
		)
		SELECT `+orderColumns+` FROM o ORDER BY o.order_id`)
}
