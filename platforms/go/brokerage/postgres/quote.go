package postgres

import (
	"context"

	"github.com/jackc/pgx/v5"

	"middlemark/brokerage"
	"middlemark/database"
	"middlemark/refusals"
)

const quoteColumns = `symbol, company, price, open, low, high, change, volume`

func quoteTargets(q *brokerage.Quote) []any {
	return []any{&q.Symbol, &q.Company, database.Cents(&q.Price), database.Cents(&q.Open), database.Cents(&q.Low), database.Cents(&q.High),
		database.Cents(&q.Change), &q.Volume}
}

func scanQuote(row pgx.CollectableRow) (brokerage.Quote, error) {
	var q brokerage.Quote
	err := row.Scan(quoteTargets(&q)...)
	return q, err
}

// GetQuote reads one quote.
func (s *Store) GetQuote(ctx context.Context, symbol string) (brokerage.Quote, error) {
	var quote brokerage.Quote
	err := s.run(ctx, func(ctx context.Context) error {
		row := s.pool.QueryRow(ctx, `SELECT `+quoteColumns+` FROM quotes WHERE symbol = $1`, symbol)
		return orRefused(row.Scan(quoteTargets(&quote)...), unknownSymbol(symbol))
	})
	return quote, err
}

// GetQuotes reads several quotes at once.
func (s *Store) GetQuotes(ctx context.Context, symbols []string) ([]brokerage.Quote, error) {
	var quotes []brokerage.Quote
	err := s.run(ctx, func(ctx context.Context) error {
		rows, err := s.pool.Query(ctx, `SELECT `+quoteColumns+` FROM quotes WHERE symbol = ANY ($1)`, symbols)
		if err != nil {
			return err
		}
		quotes, err = pgx.CollectRows(rows, scanQuote)
		return err
	})
	return brokerage.InOrderAsked(symbols, quotes), err
}

const (
	indexes = `SELECT coalesce(round(avg(price), 2), 0), coalesce(round(avg(open), 2), 0), coalesce(sum(volume), 0)::bigint FROM quotes`
	gainers = `SELECT ` + quoteColumns + ` FROM quotes ORDER BY change DESC, symbol LIMIT 5`
	losers  = `SELECT ` + quoteColumns + ` FROM quotes ORDER BY change, symbol LIMIT 5`
)

// GetMarketSummary reads all quotes, in one way to the database and back.
func (s *Store) GetMarketSummary(ctx context.Context) (brokerage.MarketSummary, error) {
	var summary brokerage.MarketSummary
	err := s.run(ctx, func(ctx context.Context) error {
		var batch pgx.Batch
		batch.Queue(indexes).QueryRow(func(row pgx.Row) error {
			return row.Scan(database.Cents(&summary.Index), database.Cents(&summary.OpenIndex), &summary.Volume)
		})
		batch.Queue(gainers).Query(collectQuotes(&summary.Gainers))
		batch.Queue(losers).Query(collectQuotes(&summary.Losers))
		return s.pool.SendBatch(ctx, &batch).Close()
	})
	summary.AsOf = now()
	return summary, err
}

func collectQuotes(quotes *[]brokerage.Quote) func(pgx.Rows) error {
	return func(rows pgx.Rows) (err error) {
		*quotes, err = pgx.CollectRows(rows, scanQuote)
		return err
	}
}

func unknownSymbol(symbol string) error {
	return refusals.New(brokerage.UnknownSymbol, "There is no symbol %s.", symbol)
}
