package postgres

import (
	"cmp"
	"context"
	"slices"

	"github.com/jackc/pgx/v5"

	"middlemark/brokerage"
	"middlemark/database"
)

const orderColumns = `o.order_id, o.order_type, o.status, o.symbol, o.quantity, o.price, o.fee,
	o.open_time, o.completion_time, o.holding_id`

func scanOrder(row pgx.CollectableRow) (brokerage.Order, error) {
	var o brokerage.Order
	var completed *timestamp
	err := row.Scan(&o.OrderID, &o.Type, &o.Status, &o.Symbol, &o.Quantity, database.Cents(&o.Price), database.Cents(&o.Fee),
		instant(&o.OpenTime), &completed, &o.HoldingID)
	o.CompletionTime = (*brokerage.Instant)(completed)
	return o, err
}

// orders runs a statement that answers orders of a user, by way of the account.
func (s *Store) orders(ctx context.Context, userID, sql string, more ...any) ([]brokerage.Order, error) {
	var orders []brokerage.Order
	err := s.run(ctx, func(ctx context.Context) error {
		rows, err := s.pool.Query(ctx, sql, append([]any{userID}, more...)...)
		if err != nil {
			return err
		}
		orders, err = ofUser(rows, userID, scanOrder)
		return err
	})
	return orders, err
}

// GetOrders reads the newest orders of a user. They are found for the account and not joined, so that PostgreSQL reads
// the index on account and open time backwards, and only as far as the limit, however many orders the user has.
func (s *Store) GetOrders(ctx context.Context, userID string, limit int) ([]brokerage.Order, error) {
	return s.orders(ctx, userID, `
		SELECT `+orderColumns+` FROM accounts a LEFT JOIN LATERAL (
			SELECT * FROM orders WHERE orders.account_id = a.account_id ORDER BY open_time DESC, order_id DESC LIMIT $2
		) o ON true
		WHERE a.user_id = $1 ORDER BY o.open_time DESC, o.order_id DESC`, limit)
}

// GetClosedOrders reads and marks the orders whose alert is due. Only where there is one anything is locked or written;
// a second look at the same time waits for the rows, finds them seen and leaves them out.
func (s *Store) GetClosedOrders(ctx context.Context, userID string) ([]brokerage.Order, error) {
	orders := []brokerage.Order{}
	err := s.run(ctx, func(ctx context.Context) error {
		due, err := s.isAlertDue(ctx, userID)
		if err != nil || !due {
			return err
		}
		rows, err := s.pool.Query(ctx, `
			UPDATE orders o SET seen = true
			WHERE o.account_id = (SELECT account_id FROM accounts WHERE user_id = $1) AND o.status = 'closed' AND NOT o.seen
			RETURNING `+orderColumns, userID)
		if err != nil {
			return err
		}
		orders, err = pgx.CollectRows(rows, scanOrder)
		return err
	})
	slices.SortFunc(orders, func(a, b brokerage.Order) int {
		return cmp.Or(cmp.Compare(a.OpenTime, b.OpenTime), cmp.Compare(a.OrderID, b.OrderID))
	})
	return orders, err
}

// isAlertDue looks account by account: a join may read the unseen orders of everybody.
func (s *Store) isAlertDue(ctx context.Context, userID string) (due bool, err error) {
	err = s.pool.QueryRow(ctx, `
		SELECT EXISTS (SELECT FROM orders o WHERE o.account_id = a.account_id AND o.status = 'closed' AND NOT o.seen)
		FROM accounts a WHERE a.user_id = $1`, userID).Scan(&due)
	return due, orRefused(err, unknownUser(userID))
}
