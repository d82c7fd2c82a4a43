// Package petstore has the words and rules of specs/petstore; no technology.
package petstore

import (
	"context"

	"middlemark/money"
)

// Category is a group of products.
type Category struct {
	ID   string
	Name string
}

// Product is a kind of animal for sale.
type Product struct {
	ID          string
	CategoryID  string
	Name        string
	Description string
}

// Item is a variant of a product, with a price.
type Item struct {
	ID      string
	Name    string
	Price   money.Cents
	Product Product
}

// PageSize is how many products a page shows.
const PageSize = 10

// ProductPage is the products of one page, and whether there are more.
type ProductPage struct {
	Products []Product
	Number   int
	More     bool
}

// Catalog is what can be bought.
type Catalog interface {
	Categories(ctx context.Context) ([]Category, error)
	Search(ctx context.Context, text string, page int) (ProductPage, error)
	Category(ctx context.Context, id string, page int) (Category, ProductPage, error)
	// Product is the product with its items, by their ids.
	Product(ctx context.Context, id string) (Product, []Item, error)
	Item(ctx context.Context, id string) (Item, error)
	// Items are the items with these ids, in any order.
	Items(ctx context.Context, ids []string) (map[string]Item, error)
	// Inventory is the pieces in stock now, by item id.
	Inventory(ctx context.Context, ids []string) (map[string]int64, error)
}
