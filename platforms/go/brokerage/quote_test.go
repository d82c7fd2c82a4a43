package brokerage

import (
	"slices"
	"testing"

	"middlemark/money"
)

func TestACompletedOrderMovesThePrice(t *testing.T) {
	for _, c := range []struct {
		sentence string
		symbol   string
		price    money.Cents
		trades   int64
		want     money.Cents
	}{
		{"the factor depends on the symbol", "s:0", 10_00, 1, 9_68},
		{"and on the number of completed orders", "s:1", 89_19, 1, 85_55},
		{"so that the next order moves it elsewhere", "s:1", 89_19, 2, 91_59},
		{"symbols beyond 100003 begin again", "s:100003", 123_45, 1, 119_46},
		{"just above a penny stock it may fall below", "s:0", 1_01, 1, 98},
		{"a penny stock comes up", "s:5", 1_00, 3, 6_00},
		{"from the lowest price as well", "s:5", 1, 3, 6},
		{"just below the split it may rise above", "s:99999", 399_99, 7, 402_79},
		{"a price of 400.00 is split", "s:5", 400_00, 3, 200_00},
		{"an odd price is split half-up", "s:5", 400_01, 3, 200_01},
		{"the highest price is split", "s:5", 440_00, 3, 220_00},
		{"many orders are no limit", "s:7", 399_99, 12345, 391_75},
	} {
		t.Run(c.sentence, func(t *testing.T) {
			if got, err := nextPrice(c.symbol, c.price, c.trades); err != nil || got != c.want {
				t.Errorf("order %d moves %s from %s to %s, %v; want %s", c.trades, c.symbol, c.price, got, err, c.want)
			}
		})
	}
}

func TestThePriceAfterManyOrdersIsThatOfAnIndependentReckoning(t *testing.T) {
	quote := Quote{Symbol: "s:1", Price: 89_19, Open: 89_19, Low: 89_19, High: 89_19}
	for trades := int64(1); trades <= 2000; trades++ {
		moved, err := quote.Moved(10, trades)
		if err != nil {
			t.Fatal(err)
		}
		if moved.Price > 440_00 || moved.Low > moved.Price || moved.High < moved.Price {
			t.Fatalf("after order %d the quote is %+v", trades, moved)
		}
		quote = moved
	}
	if quote.Price != 2_76 || quote.Change != 2_76-89_19 || quote.Volume != 20_000 {
		t.Errorf("after 2000 orders the quote is %+v", quote)
	}
}

func TestASymbolWithoutNumberCannotMove(t *testing.T) {
	for _, symbol := range []string{"", "s:", "s:x", "x:1", "1"} {
		if _, err := nextPrice(symbol, 10_00, 1); err == nil {
			t.Errorf("%q moves", symbol)
		}
	}
}

func TestQuotesAreAnsweredInTheOrderAskedEachOnce(t *testing.T) {
	found := []Quote{{Symbol: "s:1"}, {Symbol: "s:2"}, {Symbol: "s:3"}}
	var symbols []string
	for _, quote := range InOrderAsked([]string{"s:3", "s:9", "s:1", "s:3", "s:2"}, found) {
		symbols = append(symbols, quote.Symbol)
	}
	if want := []string{"s:3", "s:1", "s:2"}; !slices.Equal(symbols, want) {
		t.Errorf("the quotes are %v, want %v", symbols, want)
	}
}
