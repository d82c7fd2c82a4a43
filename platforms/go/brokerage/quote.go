package brokerage

import (
	"fmt"
	"strconv"
	"strings"

	"middlemark/money"
	"middlemark/refusals"
)

const (
	maxSymbol = 20
	// MaxSymbols is how many symbols one request for quotes may name.
	MaxSymbols = 20
)

// Quote is a share's price now and its day's figures.
type Quote struct {
	Symbol  string
	Company string
	Price   money.Cents
	Open    money.Cents
	Low     money.Cents
	High    money.Cents
	Change  money.Cents
	Volume  int64
}

// MarketSummary is the state of the market over all quotes.
type MarketSummary struct {
	Index     money.Cents
	OpenIndex money.Cents
	Volume    int64
	Gainers   []Quote
	Losers    []Quote
	AsOf      Instant
}

// Change is how far the index has moved since the opening.
func (m MarketSummary) Change() money.Cents { return m.Index - m.OpenIndex }

// Moved is the quote after a completed order of quantity shares, trades being the number of completed orders
// including this one.
func (q Quote) Moved(quantity, trades int64) (Quote, error) {
	price, err := nextPrice(q.Symbol, q.Price, trades)
	if err != nil {
		return Quote{}, err
	}
	q.Price = price
	q.Low = min(q.Low, price)
	q.High = max(q.High, price)
	q.Change = price - q.Open
	q.Volume += quantity
	return q, nil
}

// nextPrice is the price walk of specs/brokerage/README.md, "Moving the quote", in whole cents.
func nextPrice(symbol string, price money.Cents, trades int64) (money.Cents, error) {
	const (
		penny, pennyFactor = 100, 6
		split              = 40_000
	)
	switch {
	case price <= penny:
		return price * pennyFactor, nil
	case price >= split:
		return (price + 1) / 2, nil
	}
	number, err := symbolNumber(symbol)
	if err != nil {
		return 0, err
	}
	factor := 9000 + ((number%100_003)*7919+trades*104_729)%2001
	return (price*money.Cents(factor) + 5000) / 10_000, nil
}

func symbolNumber(symbol string) (int64, error) {
	digits, found := strings.CutPrefix(symbol, "s:")
	number, err := strconv.ParseInt(digits, 10, 64)
	if !found || err != nil {
		return 0, fmt.Errorf("symbol %q is not s:NUMBER", symbol)
	}
	return number, nil
}

// InOrderAsked puts the quotes found into the order of the symbols, each once; symbols not found are left out.
func InOrderAsked(symbols []string, found []Quote) []Quote {
	bySymbol := make(map[string]Quote, len(found))
	for _, quote := range found {
		bySymbol[quote.Symbol] = quote
	}
	quotes := make([]Quote, 0, len(found))
	for _, symbol := range symbols {
		if quote, ok := bySymbol[symbol]; ok {
			quotes = append(quotes, quote)
			delete(bySymbol, symbol)
		}
	}
	return quotes
}

func checkSymbol(symbol string) error { return refusals.CheckText("symbol", symbol, 1, maxSymbol) }

func checkSymbols(symbols []string) error {
	if len(symbols) < 1 || len(symbols) > MaxSymbols {
		return refusals.New(refusals.InvalidInput, "Ask for 1 to %d symbols.", MaxSymbols)
	}
	for _, symbol := range symbols {
		if err := checkSymbol(symbol); err != nil {
			return err
		}
	}
	return nil
}
