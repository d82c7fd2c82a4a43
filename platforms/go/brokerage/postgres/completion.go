package postgres

import (
	"context"
	"fmt"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"middlemark/brokerage"
	"middlemark/database"
)

// complete completes an open order of the queue, whose account, quote and, for a sell, holding are locked.
func complete(ctx context.Context, tx pgx.Tx, accountID int64, quote tradedQuote, o *brokerage.Order) error {
	if err := settle(ctx, tx, accountID, o); err != nil {
		return err
	}
	closed, err := tx.Exec(ctx, `
		UPDATE orders SET status = $2, completion_time = $3, holding_id = $4 WHERE order_id = $1 AND status = 'open'`,
		o.OrderID, o.Status, (*timestamp)(o.CompletionTime), o.HoldingID)
	if err := exactlyOne(closed, err, "open order"); err != nil {
		return err
	}
	return moveQuote(ctx, tx, quote, o.Quantity)
}

// settle closes an order and makes the holding it buys, or removes the one it sells and credits the account. The order
// itself is the caller's to write.
func settle(ctx context.Context, tx pgx.Tx, accountID int64, o *brokerage.Order) error {
	completed := now()
	o.Status, o.CompletionTime = brokerage.OrderClosed, &completed
	switch o.Type {
	case brokerage.BuyOrder:
		if err := insertHolding(ctx, tx, accountID, o, completed); err != nil {
			return err
		}
	case brokerage.SellOrder:
		removed, err := tx.Exec(ctx, `DELETE FROM holdings WHERE holding_id = $1`, o.HoldingID)
		if err := exactlyOne(removed, err, "holding to remove"); err != nil {
			return err
		}
		return credit(ctx, tx, accountID, o.Total())
	}
	return nil
}

// insertHolding makes what has been bought, and gives the order its id.
func insertHolding(ctx context.Context, tx pgx.Tx, accountID int64, o *brokerage.Order, bought brokerage.Instant) error {
	return tx.QueryRow(ctx, `
		INSERT INTO holdings (account_id, symbol, quantity, purchase_price, purchase_time, being_sold)
		VALUES ($1, $2, $3, $4, $5, false) RETURNING holding_id`,
		accountID, o.Symbol, o.Quantity, database.Numeric(o.Price), timestamp(bought)).Scan(&o.HoldingID)
}

func moveQuote(ctx context.Context, tx pgx.Tx, quote tradedQuote, quantity int64) error {
	trades := quote.trades + 1
	q, err := quote.Moved(quantity, trades)
	if err != nil {
		return err
	}
	_, err = tx.Exec(ctx, `
		UPDATE quotes SET price = $2, low = $3, high = $4, change = $5, volume = $6, trades = $7 WHERE symbol = $1`,
		q.Symbol, database.Numeric(q.Price), database.Numeric(q.Low), database.Numeric(q.High), database.Numeric(q.Change), q.Volume, trades)
	return err
}

// exactlyOne makes an error of a statement that found no row.
func exactlyOne(done pgconn.CommandTag, err error, what string) error {
	if err == nil && done.RowsAffected() != 1 {
		return fmt.Errorf("there is no %s", what)
	}
	return err
}
