package postgres

import (
	"context"
	"maps"

	"github.com/jackc/pgx/v5"

	"middlemark/database"
	"middlemark/petstore"
	"middlemark/refusals"
)

// all is the id under which lists are kept of which there is one.
const all = ""

// Categories implements petstore.Catalog.
func (s *Store) Categories(ctx context.Context) ([]petstore.Category, error) {
	found, missing := s.static.categories.get([]string{all})
	if missing == nil {
		return found[all], nil
	}
	err := s.run(ctx, func(ctx context.Context) (err error) {
		found[all], err = collect(ctx, s.catalog, pgx.RowToStructByPos[petstore.Category],
			`SELECT category_id, name FROM categories ORDER BY category_id`)
		return err
	})
	if err != nil {
		return nil, err
	}
	s.static.categories.put(found)
	return found[all], nil
}

// Search implements petstore.Catalog.
func (s *Store) Search(ctx context.Context, text string, page int) (petstore.ProductPage, error) {
	return s.productPage(ctx, page,
		`SELECT product_id FROM products WHERE strpos(lower(name), lower($1)) > 0 ORDER BY name, product_id LIMIT $2 OFFSET $3`, text)
}

// Category implements petstore.Catalog.
func (s *Store) Category(ctx context.Context, id string, page int) (petstore.Category, petstore.ProductPage, error) {
	categories, err := s.Categories(ctx)
	if err != nil {
		return petstore.Category{}, petstore.ProductPage{}, err
	}
	for _, category := range categories {
		if category.ID == id {
			products, err := s.productPage(ctx, page,
				`SELECT product_id FROM products WHERE category_id = $1 ORDER BY name, product_id LIMIT $2 OFFSET $3`, id)
			return category, products, err
		}
	}
	return petstore.Category{}, petstore.ProductPage{}, refusals.New(petstore.UnknownCategory, "There is no category %s.", id)
}

// productPage asks for the ids of a page, and one more, which says whether there is a next page.
func (s *Store) productPage(ctx context.Context, page int, query, condition string) (petstore.ProductPage, error) {
	shown := petstore.ProductPage{Number: page}
	var ids []string
	var products map[string]petstore.Product
	err := s.run(ctx, func(ctx context.Context) (err error) {
		ids, err = collect(ctx, s.catalog, pgx.RowTo[string], query, condition, petstore.PageSize+1, (page-1)*petstore.PageSize)
		if err != nil {
			return err
		}
		shown.More = len(ids) > petstore.PageSize
		ids = ids[:min(len(ids), petstore.PageSize)]
		products, err = s.products(ctx, ids)
		return err
	})
	if err != nil {
		return petstore.ProductPage{}, err
	}
	for _, id := range ids {
		shown.Products = append(shown.Products, products[id])
	}
	return shown, nil
}

// products reads those that are not kept in one statement.
func (s *Store) products(ctx context.Context, ids []string) (map[string]petstore.Product, error) {
	found, missing := s.static.products.get(ids)
	if missing == nil {
		return found, nil
	}
	read, err := collect(ctx, s.catalog, pgx.RowToStructByPos[petstore.Product],
		`SELECT product_id, category_id, name, description FROM products WHERE product_id = ANY ($1)`, missing)
	if err != nil {
		return nil, err
	}
	fresh := make(map[string]petstore.Product, len(read))
	for _, product := range read {
		fresh[product.ID] = product
	}
	s.static.products.put(fresh)
	maps.Copy(found, fresh)
	return found, nil
}

// Product implements petstore.Catalog.
func (s *Store) Product(ctx context.Context, id string) (product petstore.Product, items []petstore.Item, err error) {
	err = s.run(ctx, func(ctx context.Context) (err error) {
		items, err = collect(ctx, s.catalog, readItem, selectItems+` WHERE product_id = $1 ORDER BY item_id`, id)
		return err
	})
	if err != nil {
		return product, nil, err
	}
	if len(items) == 0 {
		return product, nil, refusals.New(petstore.UnknownProduct, "There is no product %s.", id)
	}
	return items[0].Product, items, nil
}

const selectItems = `
	SELECT item_id, items.name, price, product_id, category_id, products.name, description
	FROM items JOIN products USING (product_id)`

// Item implements petstore.Catalog.
func (s *Store) Item(ctx context.Context, id string) (petstore.Item, error) {
	items, err := s.Items(ctx, []string{id})
	if err != nil {
		return petstore.Item{}, err
	}
	item, there := items[id]
	if !there {
		return petstore.Item{}, refusals.New(petstore.UnknownItem, "There is no item %s.", id)
	}
	return item, nil
}

// Items implements petstore.Catalog.
func (s *Store) Items(ctx context.Context, ids []string) (map[string]petstore.Item, error) {
	found, missing := s.static.items.get(ids)
	if missing == nil {
		return found, nil
	}
	fresh := make(map[string]petstore.Item, len(missing))
	err := s.run(ctx, func(ctx context.Context) error {
		read, err := collect(ctx, s.catalog, readItem, selectItems+` WHERE item_id = ANY ($1)`, missing)
		for _, item := range read {
			fresh[item.ID] = item
		}
		return err
	})
	if err != nil {
		return nil, err
	}
	s.static.items.put(fresh)
	maps.Copy(found, fresh)
	return found, nil
}

func readItem(row pgx.CollectableRow) (i petstore.Item, err error) {
	err = row.Scan(&i.ID, &i.Name, database.Cents(&i.Price),
		&i.Product.ID, &i.Product.CategoryID, &i.Product.Name, &i.Product.Description)
	return i, err
}

// Inventory implements petstore.Catalog.
func (s *Store) Inventory(ctx context.Context, ids []string) (map[string]int64, error) {
	stock := make(map[string]int64, len(ids))
	err := s.run(ctx, func(ctx context.Context) error {
		rows, err := s.catalog.Query(ctx, `SELECT item_id, quantity FROM inventory WHERE item_id = ANY ($1)`, ids)
		if err != nil {
			return err
		}
		var id string
		var quantity int64
		_, err = pgx.ForEachRow(rows, []any{&id, &quantity}, func() error {
			stock[id] = quantity
			return nil
		})
		return err
	})
	return stock, err
}
