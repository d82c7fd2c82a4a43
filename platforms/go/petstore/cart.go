package petstore

import (
	"maps"
	"slices"

	"middlemark/money"
	"middlemark/refusals"
)

// maxPieces is how many pieces a cart holds.
const maxPieces = 100

// Cart is the pieces of each item that a visitor wants to buy. The zero value is empty.
type Cart struct {
	pieces map[string]int
}

// Add adds one piece, or refuses it.
func (c *Cart) Add(itemID string) error {
	total := 0
	for _, pieces := range c.pieces {
		total += pieces
	}
	if total >= maxPieces {
		return refusals.New(CartFull, "A cart holds at most %d pieces.", maxPieces)
	}
	if c.pieces == nil {
		c.pieces = make(map[string]int)
	}
	c.pieces[itemID]++
	return nil
}

// Clone is a cart of its own with the same pieces.
func (c Cart) Clone() Cart { return Cart{maps.Clone(c.pieces)} }

// IsEmpty says whether there is nothing to buy.
func (c Cart) IsEmpty() bool { return len(c.pieces) == 0 }

// ItemIDs are the items in the order of their ids.
func (c Cart) ItemIDs() []string { return slices.Sorted(maps.Keys(c.pieces)) }

// Lines are the cart as lines of an order, at the items' prices.
func (c Cart) Lines(items map[string]Item) []Line {
	lines := make([]Line, 0, len(c.pieces))
	for i, id := range c.ItemIDs() {
		lines = append(lines, Line{ItemID: id, Number: i + 1, Quantity: c.pieces[id], Price: items[id].Price})
	}
	return lines
}

// Total is the price of all lines.
func Total(lines []Line) (total money.Cents) {
	for _, line := range lines {
		total += line.Total()
	}
	return total
}
