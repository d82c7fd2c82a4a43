package postgres

import (
	"context"

	"github.com/jackc/pgx/v5"

	"middlemark/brokerage"
	"middlemark/database"
	"middlemark/refusals"
)

const holdingColumns = `h.holding_id, h.symbol, h.quantity, h.purchase_price, h.purchase_time, q.price, h.being_sold`

func scanHolding(row pgx.CollectableRow) (brokerage.Holding, error) {
	var h brokerage.Holding
	err := row.Scan(&h.HoldingID, &h.Symbol, &h.Quantity, database.Cents(&h.PurchasePrice), instant(&h.PurchaseTime),
		database.Cents(&h.Price), &h.BeingSold)
	return h, err
}

// GetHoldings reads all holdings of a user, by holding id.
func (s *Store) GetHoldings(ctx context.Context, userID string) ([]brokerage.Holding, error) {
	return s.holdings(ctx, userID, `
		SELECT `+holdingColumns+`
		FROM accounts a LEFT JOIN (holdings h JOIN quotes q USING (symbol)) ON h.account_id = a.account_id
		WHERE a.user_id = $1 ORDER BY h.holding_id`)
}

// GetHolding reads one holding of a user.
func (s *Store) GetHolding(ctx context.Context, userID string, holdingID int64) (brokerage.Holding, error) {
	found, err := s.holdings(ctx, userID, `
		SELECT `+holdingColumns+`
		FROM accounts a LEFT JOIN (holdings h JOIN quotes q USING (symbol)) ON h.account_id = a.account_id AND h.holding_id = $2
		WHERE a.user_id = $1`, holdingID)
	if err != nil {
		return brokerage.Holding{}, err
	}
	if len(found) == 0 {
		return brokerage.Holding{}, unknownHolding(userID, holdingID)
	}
	return found[0], nil
}

// holdings runs a statement that answers holdings of a user, by way of the account.
func (s *Store) holdings(ctx context.Context, userID, sql string, more ...any) ([]brokerage.Holding, error) {
	var holdings []brokerage.Holding
	err := s.run(ctx, func(ctx context.Context) error {
		rows, err := s.pool.Query(ctx, sql, append([]any{userID}, more...)...)
		if err != nil {
			return err
		}
		holdings, err = ofUser(rows, userID, scanHolding)
		return err
	})
	return holdings, err
}

func unknownHolding(userID string, holdingID int64) error {
	return refusals.New(brokerage.UnknownHolding, "User %s has no holding %d.", userID, holdingID)
}
