package web

import (
	"net/http"
	"net/url"
	"strconv"
	"strings"

	"middlemark/petstore"
	"middlemark/refusals"
)

func (s *Site) home(v visit) error {
	categories, err := s.shop.Catalog.Categories(v.r.Context())
	if err != nil {
		return err
	}
	v.show(http.StatusOK, page{Name: "home", Title: "Categories", Content: categories})
	return nil
}

// productsContent is a page of products.
type productsContent struct {
	Category petstore.Category // of a search: none
	Page     petstore.ProductPage
	Next     string // address of the next page
}

func (s *Site) search(v visit) error {
	text := v.typed("text")
	if err := petstore.CheckSearch(text); err != nil {
		return err
	}
	number, err := petstore.ParsePage(v.typed("page"))
	if err != nil {
		return err
	}
	found, err := s.shop.Catalog.Search(v.r.Context(), text, number)
	if err != nil {
		return err
	}
	v.show(http.StatusOK, page{
		Name: "search", Title: "Search", Sought: text,
		Content: productsContent{Page: found, Next: nextPage("/search", "text", text, number)},
	})
	return nil
}

func (s *Site) category(v visit) error {
	id, err := v.typedID("category_id")
	if err != nil {
		return err
	}
	number, err := petstore.ParsePage(v.typed("page"))
	if err != nil {
		return err
	}
	category, products, err := s.shop.Catalog.Category(v.r.Context(), id, number)
	if err != nil {
		return err
	}
	v.show(http.StatusOK, page{
		Name: "category", Title: category.Name,
		Content: productsContent{Category: category, Page: products, Next: nextPage("/category", "category_id", id, number)},
	})
	return nil
}

func nextPage(path, name, value string, number int) string {
	return path + "?" + name + "=" + url.QueryEscape(value) + "&page=" + strconv.Itoa(number+1)
}

// productContent is a product and its items.
type productContent struct {
	Product petstore.Product
	Items   []petstore.Item
}

func (s *Site) product(v visit) error {
	id, err := v.typedID("product_id")
	if err != nil {
		return err
	}
	product, items, err := s.shop.Catalog.Product(v.r.Context(), id)
	if err != nil {
		return err
	}
	v.show(http.StatusOK, page{Name: "product", Title: product.Name, Content: productContent{product, items}})
	return nil
}

// itemContent is an item and its inventory now.
type itemContent struct {
	Item    petstore.Item
	InStock int64
}

func (s *Site) item(v visit) error {
	item, err := s.knownItem(v)
	if err != nil {
		return err
	}
	stock, err := s.shop.Catalog.Inventory(v.r.Context(), []string{item.ID})
	if err != nil {
		return err
	}
	v.show(http.StatusOK, page{Name: "item", Title: item.Product.Name, Content: itemContent{item, stock[item.ID]}})
	return nil
}

// knownItem is the item that the request names.
func (s *Site) knownItem(v visit) (petstore.Item, error) {
	id, err := v.typedID("item_id")
	if err != nil {
		return petstore.Item{}, err
	}
	return s.shop.Catalog.Item(v.r.Context(), id)
}

// typedID is an id that the database can look for.
func (v visit) typedID(name string) (string, error) {
	id := v.typed(name)
	return id, refusals.CheckText(strings.ReplaceAll(name, "_", " "), id, 1, 50)
}
