package bindings_test

import (
	"errors"
	"fmt"
	"sync"
	"testing"

	"middlemark/brokerage"
)

// atOnce does the same n times at the same time.
func atOnce(n int, perform func() error) []error {
	errs := make([]error, n)
	var start, done sync.WaitGroup
	start.Add(1)
	for i := range n {
		done.Go(func() {
			start.Wait()
			errs[i] = perform()
		})
	}
	start.Done()
	done.Wait()
	return errs
}

func exactlyOneWins(t *testing.T, errs []error, others ...brokerage.Code) {
	t.Helper()
	won := 0
	for _, err := range errs {
		if err == nil {
			won++
			continue
		}
		refused := false
		for _, code := range others {
			refused = refused || errors.Is(err, code)
		}
		if !refused {
			t.Errorf("one is refused with %v, want one of %v", err, others)
		}
	}
	if won != 1 {
		t.Errorf("%d of %d win", won, len(errs))
	}
}

func TestOfTwoSellsAtOnceExactlyOneWins(t *testing.T) {
	eachBinding(t, func(t *testing.T, d desk) {
		for holdingID := int64(6); holdingID <= 10; holdingID++ {
			errs := atOnce(2, func() error {
				_, err := d.Sell(t.Context(), "uid:1", holdingID)
				return err
			})
			exactlyOneWins(t, errs, brokerage.UnknownHolding, brokerage.AlreadyBeingSold)
		}
		if got := d.Text(`SELECT count(*) FROM orders WHERE order_type = 'sell'`); got != "5" {
			t.Errorf("there are %s sell orders", got)
		}
		want := d.Text(`SELECT 1000000 + sum(CASE order_type WHEN 'buy' THEN -quantity * price ELSE quantity * price END - fee)
			FROM orders WHERE account_id = 2`)
		if got := d.Text(`SELECT balance FROM accounts WHERE account_id = 2`); got != want {
			t.Errorf("the balance is %s, want %s", got, want)
		}
	})
}

func TestABalanceForOneBuyIsSpentOnce(t *testing.T) {
	eachBinding(t, func(t *testing.T, d desk) {
		d.newUser(t, "new", 50_00)
		errs := atOnce(4, func() error {
			_, err := d.Buy(t.Context(), "new", "s:0", 1)
			return err
		})
		exactlyOneWins(t, errs, brokerage.InsufficientFunds)
		if got := d.Text(`SELECT balance FROM accounts WHERE user_id = 'new'`); got != "15.05" {
			t.Errorf("the balance is %s", got)
		}
	})
}

func TestOrdersOfManyCustomersForOneSymbolMoveItsPriceInTurn(t *testing.T) {
	eachBinding(t, func(t *testing.T, d desk) {
		var next sync.Mutex
		customer := 10
		for _, err := range atOnce(20, func() error {
			next.Lock()
			customer++
			userID := fmt.Sprintf("uid:%d", customer)
			next.Unlock()
			_, err := d.Buy(t.Context(), userID, "s:1", 10)
			return err
		}) {
			must(t, err)
		}
		quote := brokerage.Quote{Symbol: "s:1", Price: 89_19, Open: 89_19, Low: 89_19, High: 89_19, Volume: 96,
			Company: "Company 1 Incorporated"}
		for trades := int64(1); trades <= 20; trades++ {
			moved, err := quote.Moved(10, trades)
			must(t, err)
			quote = moved
		}
		got, err := d.GetQuote(t.Context(), "s:1")
		must(t, err)
		if got != quote || d.Text(`SELECT trades FROM quotes WHERE symbol = 's:1'`) != "20" {
			t.Errorf("the quote is %+v, want %+v", got, quote)
		}
	})
}
