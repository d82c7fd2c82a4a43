package postgres

import (
	"context"

	"github.com/jackc/pgx/v5"

	"middlemark/brokerage"
)

const quoteColumns = `symbol, company, price, open, low, high, change, volume`

func quoteTargets(q *brokerage.Quote) []any {
	return []any{&q.Symbol, &q.Company, cents(&q.Price), cents(&q.Open), cents(&q.Low), cents(&q.High),
		cents(&q.Change), &q.Volume}
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

// Ties are broken by the symbol's code points, whatever the database's collation.
const (
	gainers = `SELECT ` + quoteColumns + ` FROM quotes ORDER BY change DESC, symbol COLLATE "C" LIMIT 5`
	losers  = `SELECT ` + quoteColumns + ` FROM quotes ORDER BY change, symbol COLLATE "C" LIMIT 5`
)

// GetMarketSummary reads all quotes, in one way to the database and back.
func (s *Store) GetMarketSummary(ctx context.Context) (brokerage.MarketSummary, error) {
	var summary brokerage.MarketSummary
	err := s.run(ctx, func(ctx context.Context) error {
		return s.readMarketSummary(ctx, &summary)
	})
	return summary, err
}

func (s *Store) readMarketSummary(ctx context.Context, summary *brokerage.MarketSummary) error {
	var count int64
	var price, open brokerage.Cents
	var batch pgx.Batch
	batch.Queue(`
		SELECT count(*), coalesce(sum(price), 0), coalesce(sum(open), 0), coalesce(sum(volume), 0)::bigint
		FROM quotes`).QueryRow(func(row pgx.Row) error {
		return row.Scan(&count, cents(&price), cents(&open), &summary.Volume)
	})
	collect := func(target *[]brokerage.Quote) func(pgx.Rows) error {
		return func(rows pgx.Rows) (err error) {
			*target, err = pgx.CollectRows(rows, scanQuote)
			return err
		}
	}
	batch.Queue(gainers).Query(collect(&summary.Gainers))
	batch.Queue(losers).Query(collect(&summary.Losers))
	if err := s.pool.SendBatch(ctx, &batch).Close(); err != nil {
		return err
	}
	summary.Index, summary.OpenIndex = brokerage.Average(price, count), brokerage.Average(open, count)
	summary.AsOf = now()
	return nil
}

func unknownSymbol(symbol string) error {
	return brokerage.Refuse(brokerage.UnknownSymbol, "There is no symbol %s.", symbol)
}
