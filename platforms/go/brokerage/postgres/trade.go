package postgres

import (
	"context"

	"github.com/jackc/pgx/v5"

	"middlemark/brokerage"
)

// trade is one order on its way through a transaction. Its steps lock rows in the order account, holding, quote, which
// every transaction keeps, so that two of them cannot wait for each other. NO KEY locks leave room for the foreign key
// checks of other customers' orders for the same symbol.
type trade struct {
	tx        pgx.Tx
	userID    string
	accountID int64
	balance   brokerage.Cents
	quote     brokerage.Quote
	trades    int64 // the quote's completed orders so far
	order     brokerage.Order
}

// Buy places and completes an order in one transaction.
func (s *Store) Buy(ctx context.Context, userID, symbol string, quantity int64) (brokerage.Order, error) {
	var order brokerage.Order
	err := s.transaction(ctx, func(ctx context.Context, tx pgx.Tx) error {
		t := &trade{tx: tx, userID: userID}
		err := inTurn(ctx,
			t.lockAccount,
			func(ctx context.Context) error { return t.lockQuote(ctx, symbol) },
			func(ctx context.Context) error { return t.placeBuy(ctx, quantity) },
			t.completeBuy,
		)
		order = t.order
		return err
	})
	return order, err
}

// Sell places and completes an order in one transaction.
func (s *Store) Sell(ctx context.Context, userID string, holdingID int64) (brokerage.Order, error) {
	var order brokerage.Order
	err := s.transaction(ctx, func(ctx context.Context, tx pgx.Tx) error {
		t := &trade{tx: tx, userID: userID}
		var holding brokerage.Holding
		err := inTurn(ctx,
			t.lockAccount,
			func(ctx context.Context) (err error) { holding, err = t.lockHolding(ctx, holdingID); return err },
			func(ctx context.Context) error { return t.lockQuote(ctx, holding.Symbol) },
			func(ctx context.Context) error { return t.placeSell(ctx, holding) },
			t.completeSell,
		)
		order = t.order
		return err
	})
	return order, err
}

// inTurn takes steps until one fails.
func inTurn(ctx context.Context, steps ...func(context.Context) error) error {
	for _, step := range steps {
		if err := step(ctx); err != nil {
			return err
		}
	}
	return nil
}

func (t *trade) lockAccount(ctx context.Context) error {
	err := t.tx.QueryRow(ctx, `SELECT account_id, balance FROM accounts WHERE user_id = $1 FOR NO KEY UPDATE`, t.userID).
		Scan(&t.accountID, cents(&t.balance))
	return orRefused(err, unknownUser(t.userID))
}

func (t *trade) lockHolding(ctx context.Context, holdingID int64) (brokerage.Holding, error) {
	var h brokerage.Holding
	err := t.tx.QueryRow(ctx, `
		SELECT holding_id, symbol, quantity, being_sold FROM holdings
		WHERE holding_id = $1 AND account_id = $2 FOR UPDATE`, holdingID, t.accountID).
		Scan(&h.HoldingID, &h.Symbol, &h.Quantity, &h.BeingSold)
	return h, orRefused(err, unknownHolding(t.userID, holdingID))
}

func (t *trade) lockQuote(ctx context.Context, symbol string) error {
	err := t.tx.QueryRow(ctx, `SELECT `+quoteColumns+`, trades FROM quotes WHERE symbol = $1 FOR NO KEY UPDATE`, symbol).
		Scan(append(quoteTargets(&t.quote), &t.trades)...)
	return orRefused(err, unknownSymbol(symbol))
}

// placeBuy writes the open order and debits its total.
func (t *trade) placeBuy(ctx context.Context, quantity int64) (err error) {
	if t.order, err = brokerage.NewBuy(t.balance, t.quote, quantity, now()); err != nil {
		return err
	}
	if err := t.credit(ctx, -t.order.Total()); err != nil {
		return err
	}
	return t.insertOrder(ctx)
}

// completeBuy creates the holding, closes the order and moves the quote.
func (t *trade) completeBuy(ctx context.Context) error {
	completed := now()
	var holdingID int64
	err := t.tx.QueryRow(ctx, `
		INSERT INTO holdings (account_id, symbol, quantity, purchase_price, purchase_time, being_sold)
		VALUES ($1, $2, $3, $4, $5, false) RETURNING holding_id`,
		t.accountID, t.order.Symbol, t.order.Quantity, numeric(t.order.Price), timestamp(completed)).Scan(&holdingID)
	if err != nil {
		return err
	}
	t.order.HoldingID = &holdingID
	return t.close(ctx, completed)
}

// placeSell marks the holding and writes the open order.
func (t *trade) placeSell(ctx context.Context, holding brokerage.Holding) (err error) {
	if t.order, err = brokerage.NewSell(holding, t.quote, now()); err != nil {
		return err
	}
	_, err = t.tx.Exec(ctx, `UPDATE holdings SET being_sold = true WHERE holding_id = $1`, holding.HoldingID)
	if err != nil {
		return err
	}
	return t.insertOrder(ctx)
}

// completeSell credits the total, removes the holding, closes the order and moves the quote.
func (t *trade) completeSell(ctx context.Context) error {
	if err := t.credit(ctx, t.order.Total()); err != nil {
		return err
	}
	if _, err := t.tx.Exec(ctx, `DELETE FROM holdings WHERE holding_id = $1`, *t.order.HoldingID); err != nil {
		return err
	}
	return t.close(ctx, now())
}

func (t *trade) credit(ctx context.Context, amount brokerage.Cents) error {
	_, err := t.tx.Exec(ctx, `UPDATE accounts SET balance = balance + $2 WHERE account_id = $1`,
		t.accountID, numeric(amount))
	return err
}

func (t *trade) insertOrder(ctx context.Context) error {
	o := &t.order
	return t.tx.QueryRow(ctx, `
		INSERT INTO orders (account_id, order_type, status, symbol, quantity, price, fee, open_time, holding_id, seen)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, false) RETURNING order_id`,
		t.accountID, o.Type, o.Status, o.Symbol, o.Quantity, numeric(o.Price), numeric(o.Fee),
		timestamp(o.OpenTime), o.HoldingID).Scan(&o.OrderID)
}

func (t *trade) close(ctx context.Context, completed brokerage.Instant) error {
	t.order.Status, t.order.CompletionTime = brokerage.OrderClosed, &completed
	_, err := t.tx.Exec(ctx, `
		UPDATE orders SET status = $2, completion_time = $3, holding_id = $4 WHERE order_id = $1`,
		t.order.OrderID, t.order.Status, timestamp(completed), t.order.HoldingID)
	if err != nil {
		return err
	}
	return t.moveQuote(ctx)
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
