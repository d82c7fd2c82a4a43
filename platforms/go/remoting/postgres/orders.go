package postgres

import (
	"context"
	"strconv"

	"github.com/jackc/pgx/v5"

	"middlemark/database"
	"middlemark/remoting"
	"middlemark/remoting/tables"
)

// Days from an order's date to the dates that follow from it (specs/remoting/README.md).
const (
	requiredDays = 10
	shippedDays  = 5
)

// pgx prepares each statement once on each connection.
const (
	insertOrder = `INSERT INTO orders (customer_id, employee_id, order_date, required_date, shipped_date, ship_via, freight,
		ship_name, ship_street, ship_city, ship_region, ship_postal_code, ship_country)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13) RETURNING order_id`
	insertLine = `INSERT INTO order_lines (order_id, line_number, product_id, unit_price, quantity, discount)
		VALUES ($1, $2, $3, $4, $5, $6)`
)

// StoreOrder implements remoting.Service.
func (s *Store) StoreOrder(ctx context.Context, order *remoting.Order) (id int64, err error) {
	if err := order.Check(); err != nil {
		return 0, err
	}
	err = s.run(ctx, func(ctx context.Context) error {
		return pgx.BeginFunc(ctx, s.pool, func(tx pgx.Tx) (err error) {
			id, err = store(ctx, tx, order)
			return err
		})
	})
	if err != nil {
		return 0, err
	}
	return id, nil
}

// store sends nothing together: each line is a way to the database and back.
func store(ctx context.Context, tx pgx.Tx, o *remoting.Order) (id int64, err error) {
	err = tx.QueryRow(ctx, insertOrder,
		o.CustomerID, o.EmployeeID, o.OrderDate.Time, o.OrderDate.AddDate(0, 0, requiredDays), o.OrderDate.AddDate(0, 0, shippedDays),
		o.ShipVia, database.Numeric(o.Freight),
		o.Shipping.Name, o.Shipping.Street, o.Shipping.City, o.Shipping.Region, o.Shipping.PostalCode, o.Shipping.Country,
	).Scan(&id)
	if err != nil {
		return 0, err
	}
	for i, line := range o.Lines {
		// PostgreSQL rounds a numeric half away from zero.
		price := strconv.FormatFloat(line.UnitPrice, 'f', -1, 64)
		_, err := tx.Exec(ctx, insertLine, id, int16(i+1), line.ProductID, price, int16(line.Quantity), float32(line.Discount))
		if err != nil {
			return 0, err
		}
	}
	return id, nil
}

// StoreOrderTables implements remoting.Service.
func (s *Store) StoreOrderTables(ctx context.Context, set *tables.Set) (int64, error) {
	order, err := remoting.OrderOf(set)
	if err != nil {
		return 0, err
	}
	return s.StoreOrder(ctx, order)
}
