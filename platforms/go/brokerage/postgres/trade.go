package postgres

import (
	"context"
	"fmt"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgxpool"

	"middlemark/brokerage"
)

// trade is one order on its way through a transaction. Its steps lock rows in the order account, holding, quote, which
// every transaction keeps, so that two of them cannot wait for each other. NO KEY locks leave room for the foreign key
// checks of other customers' orders for the same symbol.
type trade struct {
	tx        pgx.Tx
	queued    bool // the order is placed now and completed by a processor
	accountID int64
	balance   brokerage.Cents
	quote     brokerage.Quote
	trades    int64 // the quote's completed orders so far
	order     brokerage.Order
}

// step is a part of a transaction.
type step func(context.Context) error

// Buy places an order to buy.
func (s *Store) Buy(ctx context.Context, userID, symbol string, quantity int64) (brokerage.Order, error) {
	return s.trade(ctx, func(t *trade) []step {
		return []step{
			func(ctx context.Context) error { return t.lockAccount(ctx, userID) },
			func(ctx context.Context) error { return t.readQuote(ctx, symbol) },
			func(context.Context) (err error) {
				t.order, err = brokerage.NewBuy(t.balance, t.quote, quantity, now())
				return err
			},
		}
	})
}

// Sell places an order to sell.
func (s *Store) Sell(ctx context.Context, userID string, holdingID int64) (brokerage.Order, error) {
	return s.trade(ctx, func(t *trade) []step {
		var holding brokerage.Holding
		return []step{
			func(ctx context.Context) error { return t.lockAccount(ctx, userID) },
			func(ctx context.Context) (err error) {
				holding, err = t.lockHolding(ctx, userID, holdingID)
				return err
			},
			func(ctx context.Context) error { return t.readQuote(ctx, holding.Symbol) },
			func(context.Context) (err error) {
				t.order, err = brokerage.NewSell(holding, t.quote, now())
				return err
			},
		}
	})
}

// trade decides an order and, in the same transaction, settles it and writes it closed, or writes it open and leaves a
// message for a processor.
func (s *Store) trade(ctx context.Context, placing func(*trade) []step) (brokerage.Order, error) {
	queued := s.queued.Load()
	var order brokerage.Order
	err := s.run(ctx, func(ctx context.Context) error {
		return s.pool.AcquireFunc(ctx, func(connection *pgxpool.Conn) error {
			err := pgx.BeginTxFunc(ctx, connection, readCommitted, func(tx pgx.Tx) error {
				t := &trade{tx: tx, queued: queued}
				last := []step{t.debit, t.settle, t.insertOrder, t.moveQuote}
				if queued {
					last = []step{t.debit, t.markHolding, t.insertOrder, t.leaveMessage}
				}
				err := inTurn(ctx, append(placing(t), last...)...)
				order = t.order
				return err
			})
			if err == nil && queued {
				s.notify(ctx, connection)
			}
			return err
		})
	})
	if err == nil {
		s.work.placed.Add(1)
		if !queued {
			s.work.completed.Add(1)
		}
	}
	return order, err
}

// inTurn takes steps until one fails.
func inTurn(ctx context.Context, steps ...step) error {
	for _, step := range steps {
		if err := step(ctx); err != nil {
			return err
		}
	}
	return nil
}

func (t *trade) lockAccount(ctx context.Context, userID string) error {
	err := t.tx.QueryRow(ctx, `SELECT account_id, balance FROM accounts WHERE user_id = $1 FOR NO KEY UPDATE`, userID).
		Scan(&t.accountID, cents(&t.balance))
	return orRefused(err, unknownUser(userID))
}

func (t *trade) lockHolding(ctx context.Context, userID string, holdingID int64) (brokerage.Holding, error) {
	var h brokerage.Holding
	err := t.tx.QueryRow(ctx, `
		SELECT holding_id, symbol, quantity, being_sold FROM holdings
		WHERE holding_id = $1 AND account_id = $2 FOR UPDATE`, holdingID, t.accountID).
		Scan(&h.HoldingID, &h.Symbol, &h.Quantity, &h.BeingSold)
	return h, orRefused(err, unknownHolding(userID, holdingID))
}

// readQuote locks the quote, unless the order is completed in another transaction, which moves it.
func (t *trade) readQuote(ctx context.Context, symbol string) error {
	query := `SELECT ` + quoteColumns + `, trades FROM quotes WHERE symbol = $1`
	if !t.queued {
		query += ` FOR NO KEY UPDATE`
	}
	err := t.tx.QueryRow(ctx, query, symbol).Scan(append(quoteTargets(&t.quote), &t.trades)...)
	return orRefused(err, unknownSymbol(symbol))
}

// debit takes what a buy costs from the balance.
func (t *trade) debit(ctx context.Context) error {
	if t.order.Type == brokerage.SellOrder {
		return nil
	}
	return t.credit(ctx, -t.order.Total())
}

// markHolding keeps the holding of a sell from being sold again.
func (t *trade) markHolding(ctx context.Context) error {
	if t.order.Type == brokerage.BuyOrder {
		return nil
	}
	_, err := t.tx.Exec(ctx, `UPDATE holdings SET being_sold = true WHERE holding_id = $1`, t.order.HoldingID)
	return err
}

// insertOrder writes the order as it is: open, or closed when the same transaction has settled it.
func (t *trade) insertOrder(ctx context.Context) error {
	o := &t.order
	return t.tx.QueryRow(ctx, `
		INSERT INTO orders
			(account_id, order_type, status, symbol, quantity, price, fee, open_time, completion_time, holding_id, seen)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, false) RETURNING order_id`,
		t.accountID, o.Type, o.Status, o.Symbol, o.Quantity, numeric(o.Price), numeric(o.Fee),
		timestamp(o.OpenTime), (*timestamp)(o.CompletionTime), o.HoldingID).Scan(&o.OrderID)
}

// complete completes an order that is written. It needs the account, the holding of a sell and the quote locked, and
// the quote read.
func (t *trade) complete(ctx context.Context) error {
	return inTurn(ctx, t.settle, t.close, t.moveQuote)
}

// settle does what the order is for, and closes it here; insertOrder or close writes that.
func (t *trade) settle(ctx context.Context) error {
	completed := now()
	t.order.CompletionTime, t.order.Status = &completed, brokerage.OrderClosed
	if t.order.Type == brokerage.SellOrder {
		return t.settleSell(ctx)
	}
	return t.settleBuy(ctx)
}

// settleBuy creates the holding.
func (t *trade) settleBuy(ctx context.Context) error {
	o := &t.order
	return t.tx.QueryRow(ctx, `
		INSERT INTO holdings (account_id, symbol, quantity, purchase_price, purchase_time, being_sold)
		VALUES ($1, $2, $3, $4, $5, false) RETURNING holding_id`,
		t.accountID, o.Symbol, o.Quantity, numeric(o.Price), timestamp(*o.CompletionTime)).Scan(&o.HoldingID)
}

// settleSell credits the total and removes the holding.
func (t *trade) settleSell(ctx context.Context) error {
	if err := t.credit(ctx, t.order.Total()); err != nil {
		return err
	}
	removed, err := t.tx.Exec(ctx, `DELETE FROM holdings WHERE holding_id = $1`, t.order.HoldingID)
	return exactlyOne(removed, err, "holding to remove")
}

func (t *trade) credit(ctx context.Context, amount brokerage.Cents) error {
	_, err := t.tx.Exec(ctx, `UPDATE accounts SET balance = balance + $2 WHERE account_id = $1`,
		t.accountID, numeric(amount))
	return err
}

// close closes the order, which must be open: none is completed twice.
func (t *trade) close(ctx context.Context) error {
	o := &t.order
	closed, err := t.tx.Exec(ctx, `
		UPDATE orders SET status = $2, completion_time = $3, holding_id = $4 WHERE order_id = $1 AND status = 'open'`,
		o.OrderID, o.Status, timestamp(*o.CompletionTime), o.HoldingID)
	return exactlyOne(closed, err, "open order")
}

func (t *trade) moveQuote(ctx context.Context) error {
	q, err := t.quote.Moved(t.order.Quantity, t.trades+1)
	if err != nil {
		return err
	}
	_, err = t.tx.Exec(ctx, `
		UPDATE quotes SET price = $2, low = $3, high = $4, change = $5, volume = $6, trades = $7 WHERE symbol = $1`,
		q.Symbol, numeric(q.Price), numeric(q.Low), numeric(q.High), numeric(q.Change), q.Volume, t.trades+1)
	return err
}

// exactlyOne makes an error of a statement that found no row.
func exactlyOne(done pgconn.CommandTag, err error, what string) error {
	if err == nil && done.RowsAffected() != 1 {
		return fmt.Errorf("there is no %s", what)
	}
	return err
}
