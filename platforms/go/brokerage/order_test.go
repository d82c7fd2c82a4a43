package brokerage

import (
	"errors"
	"testing"

	"middlemark/refusals"
)

func TestABuyDebitsSharesAndFee(t *testing.T) {
	quote := Quote{Symbol: "s:1", Price: 89_19}
	order, err := NewBuy(1_000_000_00, quote, 100, 0)
	if err != nil || order.Total() != 8_943_95 || order.Status != OrderOpen {
		t.Errorf("the order is %+v with total %s, %v", order, order.Total(), err)
	}
	if _, err := NewBuy(8_943_95, quote, 100, 0); err != nil {
		t.Errorf("a balance that just covers the total is refused: %v", err)
	}
	if _, err := NewBuy(8_943_94, quote, 100, 0); !errors.Is(err, InsufficientFunds) {
		t.Errorf("a balance one cent short gives %v", err)
	}
}

func TestASellCreditsSharesLessFeeAndMayCost(t *testing.T) {
	order, err := NewSell(Holding{HoldingID: 7, Symbol: "s:1", Quantity: 1}, Quote{Price: 10_00}, 0)
	if err != nil || order.Total() != -14_95 || *order.HoldingID != 7 {
		t.Errorf("the order is %+v with total %s, %v", order, order.Total(), err)
	}
}

func TestAHoldingIsSoldOnce(t *testing.T) {
	_, err := NewSell(Holding{HoldingID: 7, BeingSold: true}, Quote{}, 0)
	if !errors.Is(err, AlreadyBeingSold) || refusals.Of(err).Message != "Holding 7 is already being sold." {
		t.Errorf("selling it again gives %v", err)
	}
}

func TestAQuantityIsAWholeNumberWithinItsLimits(t *testing.T) {
	for text, want := range map[string]int64{"1": 1, "100": 100, "1000000": 1_000_000} {
		if got, err := ParseQuantity(text); err != nil || got != want {
			t.Errorf("%q is read as %d, %v", text, got, err)
		}
	}
	for _, text := range []string{"", "0", "-1", "1.0", "1e2", "1000001", "99999999999999999999", "ten", " 1"} {
		if got, err := ParseQuantity(text); !errors.Is(err, refusals.InvalidInput) {
			t.Errorf("%q is read as %d, %v", text, got, err)
		}
	}
}
