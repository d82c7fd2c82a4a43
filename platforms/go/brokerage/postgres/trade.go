package postgres

import (
	"context"

	"github.com/jackc/pgx/v5"

	"middlemark/brokerage"
	"middlemark/database"
	"middlemark/money"
)

// Rows are locked in the order account, holding, quote, so that no two transactions wait for each other. NO KEY locks
// leave room for the foreign key checks of other customers' orders for the same symbol.

// lockedAccount is the part of an account that an order needs.
type lockedAccount struct {
	id      int64
	balance money.Cents
}

// tradedQuote is a quote, and how many orders have moved it so far.
type tradedQuote struct {
	brokerage.Quote
	trades int64
}

// Buy places an order to buy and completes it, or leaves that to a processor.
func (s *Store) Buy(ctx context.Context, userID, symbol string, quantity int64) (brokerage.Order, error) {
	return s.place(ctx, func(ctx context.Context, tx pgx.Tx, queued bool) (order brokerage.Order, err error) {
		account, err := lockAccount(ctx, tx, userID)
		if err != nil {
			return order, err
		}
		quote, err := readQuote(ctx, tx, symbol, queued)
		if err != nil {
			return order, err
		}
		order, err = brokerage.NewBuy(account.balance, quote.Quote, quantity, now())
		if err != nil {
			return order, err
		}
		if !queued {
			if err := settle(ctx, tx, account.id, &order); err != nil {
				return order, err
			}
		}
		if err := insertOrder(ctx, tx, account.id, &order); err != nil {
			return order, err
		}
		if err := credit(ctx, tx, account.id, -order.Total()); err != nil {
			return order, err
		}
		if queued {
			return order, insertMessage(ctx, tx, order)
		}
		return order, moveQuote(ctx, tx, quote, quantity)
	})
}

// Sell places an order to sell a holding and completes it, or leaves that to a processor.
func (s *Store) Sell(ctx context.Context, userID string, holdingID int64) (brokerage.Order, error) {
	return s.place(ctx, func(ctx context.Context, tx pgx.Tx, queued bool) (order brokerage.Order, err error) {
		account, err := lockAccount(ctx, tx, userID)
		if err != nil {
			return order, err
		}
		holding, err := lockHolding(ctx, tx, account.id, holdingID)
		if err != nil {
			return order, orRefused(err, unknownHolding(userID, holdingID))
		}
		quote, err := readQuote(ctx, tx, holding.Symbol, queued)
		if err != nil {
			return order, err
		}
		order, err = brokerage.NewSell(holding, quote.Quote, now())
		if err != nil {
			return order, err
		}
		if !queued {
			if err := settle(ctx, tx, account.id, &order); err != nil {
				return order, err
			}
			if err := insertOrder(ctx, tx, account.id, &order); err != nil {
				return order, err
			}
			return order, moveQuote(ctx, tx, quote, order.Quantity)
		}
		if err := insertOrder(ctx, tx, account.id, &order); err != nil {
			return order, err
		}
		if err := markBeingSold(ctx, tx, holdingID); err != nil {
			return order, err
		}
		return order, insertMessage(ctx, tx, order)
	})
}

// place places an order in a transaction of its own, and tells the processors of one that is left to them.
func (s *Store) place(
	ctx context.Context, work func(ctx context.Context, tx pgx.Tx, queued bool) (brokerage.Order, error),
) (order brokerage.Order, err error) {
	queued := s.queued.Load()
	err = s.run(ctx, func(ctx context.Context) error {
		err := pgx.BeginFunc(ctx, s.pool, func(tx pgx.Tx) (err error) {
			order, err = work(ctx, tx, queued)
			return err
		})
		if err == nil && queued {
			s.notify(ctx)
		}
		return err
	})
	if err != nil {
		return brokerage.Order{}, err
	}
	s.work.placed.Add(1)
	if !queued {
		s.work.completed.Add(1)
	}
	return order, nil
}

func lockAccount(ctx context.Context, tx pgx.Tx, userID string) (account lockedAccount, err error) {
	err = tx.QueryRow(ctx, `SELECT account_id, balance FROM accounts WHERE user_id = $1 FOR NO KEY UPDATE`, userID).
		Scan(&account.id, database.Cents(&account.balance))
	return account, orRefused(err, unknownUser(userID))
}

func lockHolding(ctx context.Context, tx pgx.Tx, accountID, holdingID int64) (h brokerage.Holding, err error) {
	err = tx.QueryRow(ctx, `
		SELECT holding_id, symbol, quantity, being_sold FROM holdings
		WHERE holding_id = $1 AND account_id = $2 FOR UPDATE`, holdingID, accountID).
		Scan(&h.HoldingID, &h.Symbol, &h.Quantity, &h.BeingSold)
	return h, err
}

// readQuote locks the quote, unless the order is queued: then the transaction that completes it moves the quote.
func readQuote(ctx context.Context, tx pgx.Tx, symbol string, queued bool) (quote tradedQuote, err error) {
	query := `SELECT ` + quoteColumns + `, trades FROM quotes WHERE symbol = $1`
	if !queued {
		query += ` FOR NO KEY UPDATE`
	}
	err = tx.QueryRow(ctx, query, symbol).Scan(append(quoteTargets(&quote.Quote), &quote.trades)...)
	return quote, orRefused(err, unknownSymbol(symbol))
}

// insertOrder writes an order, open or closed, and gives it its id.
func insertOrder(ctx context.Context, tx pgx.Tx, accountID int64, o *brokerage.Order) error {
	return tx.QueryRow(ctx, `
		INSERT INTO orders
			(account_id, order_type, status, symbol, quantity, price, fee, open_time, completion_time, holding_id, seen)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, false) RETURNING order_id`,
		accountID, o.Type, o.Status, o.Symbol, o.Quantity, database.Numeric(o.Price), database.Numeric(o.Fee), timestamp(o.OpenTime),
		(*timestamp)(o.CompletionTime), o.HoldingID).
		Scan(&o.OrderID)
}

func credit(ctx context.Context, tx pgx.Tx, accountID int64, amount money.Cents) error {
	_, err := tx.Exec(ctx, `UPDATE accounts SET balance = balance + $2 WHERE account_id = $1`, accountID, database.Numeric(amount))
	return err
}

// markBeingSold keeps a holding from being sold again.
func markBeingSold(ctx context.Context, tx pgx.Tx, holdingID int64) error {
	_, err := tx.Exec(ctx, `UPDATE holdings SET being_sold = true WHERE holding_id = $1`, holdingID)
	return err
}
