package bindings_test

import (
	"slices"
	"testing"

	"middlemark/brokerage"
)

func TestPingAnswers(t *testing.T) {
	eachBinding(t, func(t *testing.T, d desk) { must(t, d.Ping(t.Context())) })
}

func TestHoldingsComeByIDWithThePriceNow(t *testing.T) {
	eachBinding(t, func(t *testing.T, d desk) {
		d.Exec(`UPDATE quotes SET price = 30.01, high = 30.01, change = 30.01 - open WHERE symbol = 's:5'`)
		holdings, err := d.GetHoldings(t.Context(), "uid:1")
		must(t, err)
		var ids []int64
		for _, holding := range holdings {
			ids = append(ids, holding.HoldingID)
		}
		if !slices.Equal(ids, []int64{6, 7, 8, 9, 10}) {
			t.Fatalf("the holdings are %v", ids)
		}
		first := holdings[0]
		if first.Symbol != "s:5" || first.Quantity != 56 || first.PurchasePrice != 25_93 || first.Price != 30_01 ||
			first.PurchaseTime.String() != "2019-01-01 00:00:51" || first.Gain() != 228_48 || first.BeingSold {
			t.Errorf("the first holding is %+v", first)
		}
		one, err := d.GetHolding(t.Context(), "uid:1", 6)
		must(t, err)
		if one != first {
			t.Errorf("the holding alone is %+v", one)
		}
	})
}

func TestAHoldingOfSomebodyElseIsUnknown(t *testing.T) {
	eachBinding(t, func(t *testing.T, d desk) {
		_, err := d.GetHolding(t.Context(), "uid:1", 11)
		mustBe(t, err, brokerage.UnknownHolding, "User uid:1 has no holding 11.")
		_, err = d.Sell(t.Context(), "uid:1", 11)
		mustBe(t, err, brokerage.UnknownHolding, "User uid:1 has no holding 11.")
		_, err = d.GetHolding(t.Context(), "uid:1", 0)
		mustBe(t, err, brokerage.InvalidInput, "The holding id must be a whole number from 1.")
	})
}

func TestANewUserHasNeitherHoldingsNorOrders(t *testing.T) {
	eachBinding(t, func(t *testing.T, d desk) {
		d.newUser(t, "new", 0)
		holdings, err := d.GetHoldings(t.Context(), "new")
		must(t, err)
		orders, err := d.GetOrders(t.Context(), "new", 5)
		must(t, err)
		if len(holdings) != 0 || len(orders) != 0 {
			t.Errorf("there are %v and %v", holdings, orders)
		}
	})
}

func TestOrdersComeNewestFirstUpToTheLimit(t *testing.T) {
	eachBinding(t, func(t *testing.T, d desk) {
		d.Exec(`INSERT INTO orders (account_id, order_type, status, symbol, quantity, price, fee, open_time, seen)
			SELECT 2, 'buy', 'open', 's:1', 1, 10, 24.95, now(), false FROM generate_series(1, 120)`)
		for _, limit := range []int{1, 5, 100} {
			orders, err := d.GetOrders(t.Context(), "uid:1", limit)
			must(t, err)
			if len(orders) != limit || orders[0].OrderID != 370 || orders[0].CompletionTime != nil || orders[0].HoldingID != nil {
				t.Errorf("with limit %d there are %d orders, the first %+v", limit, len(orders), orders[0])
			}
			if !slices.IsSortedFunc(orders, func(a, b brokerage.Order) int { return int(b.OrderID - a.OrderID) }) {
				t.Errorf("the orders are not newest first")
			}
		}
		for _, limit := range []int{0, 101, -1} {
			_, err := d.GetOrders(t.Context(), "uid:1", limit)
			mustBe(t, err, brokerage.InvalidInput, "The limit must be a whole number from 1 to 100.")
		}
	})
}

func TestQuotesComeInTheOrderAsked(t *testing.T) {
	eachBinding(t, func(t *testing.T, d desk) {
		quotes, err := d.GetQuotes(t.Context(), []string{"s:2", "s:999", "s:1", "s:2"})
		must(t, err)
		if len(quotes) != 2 || quotes[0].Symbol != "s:2" || quotes[1].Symbol != "s:1" {
			t.Fatalf("the quotes are %+v", quotes)
		}
		want := brokerage.Quote{
			Symbol: "s:1", Company: "Company 1 Incorporated", Price: 89_19, Open: 89_19, Low: 89_19, High: 89_19, Volume: 96,
		}
		if quotes[1] != want {
			t.Errorf("the quote is %+v", quotes[1])
		}
		one, err := d.GetQuote(t.Context(), "s:1")
		must(t, err)
		if one != want {
			t.Errorf("the quote alone is %+v", one)
		}
		_, err = d.GetQuote(t.Context(), "s:999")
		mustBe(t, err, brokerage.UnknownSymbol, "There is no symbol s:999.")
		_, err = d.GetQuotes(t.Context(), nil)
		mustBe(t, err, brokerage.InvalidInput, "Ask for 1 to 20 symbols.")
		_, err = d.GetQuotes(t.Context(), make([]string, 21))
		mustBe(t, err, brokerage.InvalidInput, "Ask for 1 to 20 symbols.")
	})
}

func TestTheMarketSummaryIsOverAllQuotes(t *testing.T) {
	eachBinding(t, func(t *testing.T, d desk) {
		d.Exec(`UPDATE quotes SET price = open + 1.01, high = open + 1.01, change = 1.01 WHERE symbol IN ('s:7', 's:10', 's:9');
			UPDATE quotes SET price = open - 0.50, low = open - 0.50, change = -0.50 WHERE symbol = 's:3'`)
		summary, err := d.GetMarketSummary(t.Context())
		must(t, err)
		if summary.Index.String() != d.Text(`SELECT round(avg(price), 2) FROM quotes`) ||
			summary.OpenIndex.String() != d.Text(`SELECT round(avg(open), 2) FROM quotes`) || summary.Volume != 12_625 {
			t.Errorf("the summary is %+v", summary)
		}
		mustBeNow(t, "the summary", summary.AsOf)
		if got := symbolsOf(summary.Gainers); !slices.Equal(got, []string{"s:10", "s:7", "s:9", "s:0", "s:1"}) {
			t.Errorf("the gainers are %v", got)
		}
		if got := symbolsOf(summary.Losers); !slices.Equal(got, []string{"s:3", "s:0", "s:1", "s:11", "s:12"}) {
			t.Errorf("the losers are %v", got)
		}
	})
}

func symbolsOf(quotes []brokerage.Quote) (symbols []string) {
	for _, quote := range quotes {
		symbols = append(symbols, quote.Symbol)
	}
	return symbols
}
