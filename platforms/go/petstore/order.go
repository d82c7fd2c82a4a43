package petstore

import (
	"context"
	"strconv"
	"time"

	"middlemark/money"
	"middlemark/refusals"
)

// Line is an item of an order, with the price of one piece.
type Line struct {
	ItemID   string
	Number   int
	Quantity int
	Price    money.Cents
}

// Total is the price of the line.
func (l Line) Total() money.Cents { return l.Price * money.Cents(l.Quantity) }

// Order is what a customer has bought.
type Order struct {
	ID       int64
	Key      string // of the confirmation that placed it
	UserID   string
	Date     time.Time
	Total    money.Cents
	Card     Card
	Billing  Address
	Shipping Address
	Lines    []Line // by item id
}

// Orders are what customers have bought.
type Orders interface {
	// Place makes the order and takes its items from the inventory, both or neither, or answers the order that its key has made.
	Place(ctx context.Context, order Order) (Order, error)
	// PlacedBy is the order that a key has made for the user; UnknownOrder when there is none.
	PlacedBy(ctx context.Context, userID, key string) (Order, error)
	Order(ctx context.Context, id int64) (Order, error)
}

// ParseOrderID reads the number of an order, or refuses it.
func ParseOrderID(text string) (int64, error) {
	id, err := strconv.ParseInt(text, 10, 64)
	if err != nil || id < 1 {
		return 0, NoOrderID()
	}
	return id, nil
}

// NoOrderID says that something is not the number of an order.
func NoOrderID() error {
	return refusals.New(refusals.InvalidInput, "The order id must be a whole number from 1.")
}

// NoOrder says that there is no such order, or that it is somebody else's.
func NoOrder(id int64) error { return refusals.New(UnknownOrder, "There is no order %d.", id) }

// ParsePage reads the number of a page, the first without one, or refuses it.
func ParsePage(text string) (int, error) {
	if text == "" {
		return 1, nil
	}
	page, err := strconv.Atoi(text)
	if err != nil || page < 1 || page > 1000 {
		return 0, refusals.New(refusals.InvalidInput, "The page must be a whole number from 1 to 1000.")
	}
	return page, nil
}
