package postgres

import (
	"context"
	"errors"

	"github.com/jackc/pgx/v5"

	"middlemark/brokerage"
)

const holdingColumns = `h.holding_id, h.symbol, h.quantity, h.purchase_price, h.purchase_time, q.price, h.being_sold`

func holdingTargets(h *brokerage.Holding) []any {
	return []any{&h.HoldingID, &h.Symbol, &h.Quantity, cents(&h.PurchasePrice), instant(&h.PurchaseTime),
		cents(&h.Price), &h.BeingSold}
}

func scanHolding(row pgx.CollectableRow) (brokerage.Holding, error) {
	var h brokerage.Holding
	err := row.Scan(holdingTargets(&h)...)
	return h, err
}

// GetHoldings reads all holdings of a user, by holding id.
func (s *Store) GetHoldings(ctx context.Context, userID string) ([]brokerage.Holding, error) {
	var holdings []brokerage.Holding
	err := s.run(ctx, func(ctx context.Context) error {
		rows, err := s.pool.Query(ctx, `
			SELECT `+holdingColumns+`
			FROM accounts a LEFT JOIN (holdings h JOIN quotes q USING (symbol)) ON h.account_id = a.account_id
			WHERE a.user_id = $1 ORDER BY h.holding_id`, userID)
		if err != nil {
			return err
		}
		holdings, err = ofUser(rows, userID, scanHolding)
		return err
	})
	return holdings, err
}

// GetHolding reads one holding of a user.
func (s *Store) GetHolding(ctx context.Context, userID string, holdingID int64) (brokerage.Holding, error) {
	var holding brokerage.Holding
	err := s.run(ctx, func(ctx context.Context) error {
		row := s.pool.QueryRow(ctx, `
			SELECT `+holdingColumns+`
			FROM accounts a JOIN holdings h USING (account_id) JOIN quotes q USING (symbol)
			WHERE a.user_id = $1 AND h.holding_id = $2`, userID, holdingID)
		err := orRefused(row.Scan(holdingTargets(&holding)...), unknownHolding(userID, holdingID))
		return s.unlessUserUnknown(ctx, userID, err)
	})
	return holding, err
}

// unlessUserUnknown keeps err, except that an unknown user is told before an unknown holding.
func (s *Store) unlessUserUnknown(ctx context.Context, userID string, err error) error {
	if !errors.Is(err, brokerage.UnknownHolding) {
		return err
	}
	if unknown := s.requireUser(ctx, userID); unknown != nil {
		return unknown
	}
	return err
}

func unknownHolding(userID string, holdingID int64) error {
	return brokerage.Refuse(brokerage.UnknownHolding, "User %s has no holding %d.", userID, holdingID)
}
