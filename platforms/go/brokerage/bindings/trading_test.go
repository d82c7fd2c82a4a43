package bindings_test

import (
	"slices"
	"testing"

	"middlemark/brokerage"
)

func TestABuyIsPlacedAndCompleted(t *testing.T) {
	eachBinding(t, func(t *testing.T, d desk) {
		ctx := t.Context()
		d.newUser(t, "new", 10_000_00)
		order, err := d.Buy(ctx, "new", "s:1", 100)
		must(t, err)
		if order.Type != brokerage.BuyOrder || order.Status != brokerage.OrderClosed || order.Symbol != "s:1" ||
			order.Quantity != 100 || order.Price != 89_19 || order.Fee != 24_95 || order.Total() != 8_943_95 {
			t.Errorf("the order is %+v", order)
		}
		mustBeNow(t, "the open time", order.OpenTime)
		mustBeNow(t, "the completion time", *order.CompletionTime)
		holding, err := d.GetHolding(ctx, "new", *order.HoldingID)
		must(t, err)
		if holding.Quantity != 100 || holding.PurchasePrice != 89_19 || holding.PurchaseTime != *order.CompletionTime {
			t.Errorf("the holding is %+v", holding)
		}
		account, err := d.GetAccount(ctx, "new")
		must(t, err)
		if account.Balance != 10_000_00-8_943_95 {
			t.Errorf("the balance is %s", account.Balance)
		}
		orders, err := d.GetOrders(ctx, "new", 5)
		must(t, err)
		if len(orders) != 1 || *orders[0].HoldingID != *order.HoldingID || orders[0].Total() != order.Total() {
			t.Errorf("the orders are %+v", orders)
		}
		quote, err := d.GetQuote(ctx, "s:1")
		must(t, err)
		if quote.Price != 85_55 || quote.Low != 85_55 || quote.High != 89_19 || quote.Change != -3_64 || quote.Volume != 196 {
			t.Errorf("the quote is %+v", quote)
		}
	})
}

func TestASellRemovesTheHoldingAndCredits(t *testing.T) {
	eachBinding(t, func(t *testing.T, d desk) {
		ctx := t.Context()
		before, err := d.GetAccount(ctx, "uid:1")
		must(t, err)
		order, err := d.Sell(ctx, "uid:1", 6)
		must(t, err)
		if order.Type != brokerage.SellOrder || order.Status != brokerage.OrderClosed || *order.HoldingID != 6 ||
			order.Quantity != 56 || order.Price != 25_93 || order.Total() != 56*25_93-24_95 {
			t.Errorf("the order is %+v", order)
		}
		after, err := d.GetAccount(ctx, "uid:1")
		must(t, err)
		if after.Balance-before.Balance != order.Total() {
			t.Errorf("the balance went from %s to %s", before.Balance, after.Balance)
		}
		_, err = d.GetHolding(ctx, "uid:1", 6)
		mustBe(t, err, brokerage.UnknownHolding)
		if d.Text(`SELECT trades || ' ' || volume FROM quotes WHERE symbol = 's:5'`) == "0 112" {
			t.Error("the quote has not moved")
		}
	})
}

func TestASellMayCostMoreThanItBrings(t *testing.T) {
	eachBinding(t, func(t *testing.T, d desk) {
		d.newUser(t, "new", 34_95)
		order, err := d.Buy(t.Context(), "new", "s:0", 1)
		must(t, err)
		_, err = d.Sell(t.Context(), "new", *order.HoldingID)
		must(t, err)
		account, err := d.GetAccount(t.Context(), "new")
		must(t, err)
		if account.Balance != 9_68-24_95 {
			t.Errorf("the balance is %s", account.Balance)
		}
	})
}

func TestARefusedOrderLeavesNothing(t *testing.T) {
	eachBinding(t, func(t *testing.T, d desk) {
		ctx := t.Context()
		d.newUser(t, "new", 34_94)
		d.Exec(`UPDATE holdings SET being_sold = true WHERE holding_id = 6`)
		fingerprint := `SELECT md5(string_agg(r, '' ORDER BY r)) FROM (SELECT q::text FROM quotes q UNION ALL SELECT a::text FROM accounts a
			UNION ALL SELECT o::text FROM orders o UNION ALL SELECT h::text FROM holdings h) AS rows (r)`
		before := d.Text(fingerprint)
		_, err := d.Buy(ctx, "new", "s:0", 1)
		mustBe(t, err, brokerage.InsufficientFunds, "The order costs 34.95, the balance is 34.94.")
		_, err = d.Buy(ctx, "new", "s:999", 1)
		mustBe(t, err, brokerage.UnknownSymbol)
		for _, quantity := range []int64{0, -1, 1_000_001} {
			_, err = d.Buy(ctx, "new", "s:0", quantity)
			mustBe(t, err, brokerage.InvalidInput, "The quantity must be a whole number from 1 to 1000000.")
		}
		_, err = d.Buy(ctx, "new", "s:0'; DROP TABLE orders; --", 1)
		mustBe(t, err, brokerage.InvalidInput)
		_, err = d.Sell(ctx, "uid:1", 6)
		mustBe(t, err, brokerage.AlreadyBeingSold, "Holding 6 is already being sold.")
		if d.Text(fingerprint) != before {
			t.Error("a refused order has changed something")
		}
	})
}

func TestAnAlertIsShownOnceOldestFirst(t *testing.T) {
	eachBinding(t, func(t *testing.T, d desk) {
		ctx := t.Context()
		none, err := d.GetClosedOrders(ctx, "uid:1")
		must(t, err)
		if len(none) != 0 {
			t.Fatalf("loaded orders are shown: %+v", none)
		}
		var placed []int64
		for _, symbol := range []string{"s:9", "s:1", "s:5"} {
			order, err := d.Buy(ctx, "uid:1", symbol, 1)
			must(t, err)
			placed = append(placed, order.OrderID)
		}
		orders, err := d.GetClosedOrders(ctx, "uid:1")
		must(t, err)
		if got := idsOf(orders); !slices.Equal(got, placed) {
			t.Errorf("of the orders %v the look has shown %v", placed, got)
		}
		again, err := d.GetClosedOrders(ctx, "uid:1")
		must(t, err)
		if len(again) != 0 {
			t.Errorf("the orders %v are shown again", idsOf(again))
		}
	})
}

func TestOfTwoLooksAtOnceOneShowsTheAlert(t *testing.T) {
	eachBinding(t, func(t *testing.T, d desk) {
		ctx := t.Context()
		order, err := d.Buy(ctx, "uid:1", "s:1", 1)
		must(t, err)
		release := d.Block(`SELECT FROM orders WHERE account_id = 2 FOR UPDATE`)
		looks := make(chan []brokerage.Order, 2)
		ended := make(chan []error)
		go func() {
			ended <- atOnce(2, func() error {
				orders, err := d.GetClosedOrders(ctx, "uid:1")
				looks <- orders
				return err
			})
		}()
		d.AwaitBlocked(2)
		release()
		for _, err := range <-ended {
			must(t, err)
		}
		shown := append(<-looks, <-looks...)
		if got := idsOf(shown); !slices.Equal(got, []int64{order.OrderID}) {
			t.Errorf("the looks have shown %v, want %d once", got, order.OrderID)
		}
	})
}

func idsOf(orders []brokerage.Order) (ids []int64) {
	for _, order := range orders {
		ids = append(ids, order.OrderID)
	}
	return ids
}
