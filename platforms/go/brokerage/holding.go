package brokerage

import (
	"strconv"

	"middlemark/money"
	"middlemark/refusals"
)

// Holding is the shares of one symbol bought by one order, with the quote's price now.
type Holding struct {
	HoldingID     int64
	Symbol        string
	Quantity      int64
	PurchasePrice money.Cents
	PurchaseTime  Instant
	Price         money.Cents
	BeingSold     bool
}

// Cost is what the shares cost when they were bought, without the fee.
func (h Holding) Cost() money.Cents { return h.PurchasePrice.Times(h.Quantity) }

// Value is what the shares are worth now.
func (h Holding) Value() money.Cents { return h.Price.Times(h.Quantity) }

// Gain is the gain, or the loss when negative.
func (h Holding) Gain() money.Cents { return h.Value() - h.Cost() }

// ParseHoldingID reads a holding id from a form.
func ParseHoldingID(text string) (int64, error) {
	holdingID, err := strconv.ParseInt(text, 10, 64)
	if err != nil {
		return 0, refuseHoldingID()
	}
	return holdingID, checkHoldingID(holdingID)
}

func checkHoldingID(holdingID int64) error {
	if holdingID < 1 {
		return refuseHoldingID()
	}
	return nil
}

func refuseHoldingID() error {
	return refusals.New(refusals.InvalidInput, "The holding id must be a whole number from 1.")
}
