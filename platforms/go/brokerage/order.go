package brokerage

import (
	"strconv"

	"middlemark/money"
	"middlemark/refusals"
)

// Fee is the fee of every order.
const Fee money.Cents = 24_95

const (
	maxQuantity = 1_000_000
	// RecentOrders is how many orders the account page shows; MaxOrders how many may be asked for at once.
	RecentOrders = 5
	MaxOrders    = 100
)

// OrderType is the direction of an order.
type OrderType string

// OrderStatus is the state of an order.
type OrderStatus string

// The types and states there are.
const (
	BuyOrder  OrderType = "buy"
	SellOrder OrderType = "sell"

	OrderOpen   OrderStatus = "open"
	OrderClosed OrderStatus = "closed"
)

// Order is to buy or sell shares; price and fee are fixed when it is placed.
type Order struct {
	OrderID        int64
	Type           OrderType
	Status         OrderStatus
	Symbol         string
	Quantity       int64
	Price          money.Cents
	Fee            money.Cents
	OpenTime       Instant
	CompletionTime *Instant // nil until the order is completed
	HoldingID      *int64   // nil until a buy is completed
}

// Total is what a buy debits or a sell credits; a sell's may be negative.
func (o Order) Total() money.Cents {
	amount := o.Price.Times(o.Quantity)
	if o.Type == SellOrder {
		return amount - o.Fee
	}
	return amount + o.Fee
}

// NewBuy is the open order to buy at the quote's price, refused when the balance does not cover it.
func NewBuy(balance money.Cents, quote Quote, quantity int64, now Instant) (Order, error) {
	order := Order{
		Type: BuyOrder, Status: OrderOpen, Symbol: quote.Symbol, Quantity: quantity,
		Price: quote.Price, Fee: Fee, OpenTime: now,
	}
	if total := order.Total(); balance < total {
		return Order{}, refusals.New(InsufficientFunds, "The order costs %s, the balance is %s.", total, balance)
	}
	return order, nil
}

// NewSell is the open order to sell the whole holding at the quote's price, refused when that has been ordered before.
func NewSell(holding Holding, quote Quote, now Instant) (Order, error) {
	if holding.BeingSold {
		return Order{}, refusals.New(AlreadyBeingSold, "Holding %d is already being sold.", holding.HoldingID)
	}
	return Order{
		Type: SellOrder, Status: OrderOpen, Symbol: holding.Symbol, Quantity: holding.Quantity,
		Price: quote.Price, Fee: Fee, OpenTime: now, HoldingID: &holding.HoldingID,
	}, nil
}

// ParseQuantity reads the quantity of a buy from a form.
func ParseQuantity(text string) (int64, error) {
	quantity, err := strconv.ParseInt(text, 10, 64)
	if err != nil {
		return 0, refuseQuantity()
	}
	return quantity, checkQuantity(quantity)
}

func checkQuantity(quantity int64) error {
	if quantity < 1 || quantity > maxQuantity {
		return refuseQuantity()
	}
	return nil
}

func refuseQuantity() error {
	return refusals.New(refusals.InvalidInput, "The quantity must be a whole number from 1 to %d.", maxQuantity)
}

func checkLimit(limit int) error {
	if limit < 1 || limit > MaxOrders {
		return refusals.New(refusals.InvalidInput, "The limit must be a whole number from 1 to %d.", MaxOrders)
	}
	return nil
}
