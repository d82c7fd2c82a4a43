package postgres

import (
	"context"
	"errors"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"middlemark/database"
	"middlemark/petstore"
	"middlemark/refusals"
)

// uniqueViolation is the SQLSTATE of a key that is there already: that of an order sent twice.
const uniqueViolation = "23505"

const insertOrder = `
	INSERT INTO orders (order_key, user_id, order_date, total, card_type, card_number, card_expiration,
	    billing_first_name, billing_last_name, billing_address_1, billing_address_2, billing_city, billing_state, billing_zip,
	    billing_country, billing_phone,
	    shipping_first_name, shipping_last_name, shipping_address_1, shipping_address_2, shipping_city, shipping_state, shipping_zip,
	    shipping_country, shipping_phone)
	VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19, $20, $21, $22, $23, $24, $25)
	RETURNING order_id`

const selectOrder = `
	SELECT order_id, order_key::text, user_id, order_date, total, card_type, card_number, card_expiration,
	    billing_first_name, billing_last_name, billing_address_1, billing_address_2, billing_city, billing_state, billing_zip,
	    billing_country, billing_phone,
	    shipping_first_name, shipping_last_name, shipping_address_1, shipping_address_2, shipping_city, shipping_state, shipping_zip,
	    shipping_country, shipping_phone
	FROM orders WHERE `

// Place implements petstore.Orders.
func (s *Store) Place(ctx context.Context, order petstore.Order) (petstore.Order, error) {
	order.Date = time.Now().UTC()
	order.Total = petstore.Total(order.Lines)
	err := s.run(ctx, func(ctx context.Context) error {
		return s.distributed(ctx,
			func(ctx context.Context, tx *pgxpool.Conn) error { return takeInventory(ctx, tx, order.Lines) },
			func(ctx context.Context, tx *pgxpool.Conn) error { return insert(ctx, tx, &order) })
	})
	if database.SQLState(err) == uniqueViolation {
		return s.PlacedBy(ctx, order.UserID, order.Key)
	}
	return order, err
}

// takeInventory takes the pieces in the order of item ids, so that two orders never wait for each other.
func takeInventory(ctx context.Context, tx *pgxpool.Conn, lines []petstore.Line) error {
	for _, line := range lines {
		tag, err := tx.Exec(ctx, `UPDATE inventory SET quantity = quantity - $2 WHERE item_id = $1 AND quantity >= $2`,
			line.ItemID, line.Quantity)
		if err != nil {
			return err
		}
		if tag.RowsAffected() == 0 {
			return refusals.New(petstore.OutOfStock, "Item %s is out of stock.", line.ItemID)
		}
	}
	return nil
}

// insert writes the order and its lines, the lines in one round trip.
func insert(ctx context.Context, tx *pgxpool.Conn, order *petstore.Order) error {
	values := []any{order.Key, order.UserID, order.Date, database.Cents(&order.Total), order.Card.Type, order.Card.Number, order.Card.Expiration}
	values = append(values, addressFields(&order.Billing)...)
	values = append(values, addressFields(&order.Shipping)...)
	if err := tx.QueryRow(ctx, insertOrder, values...).Scan(&order.ID); err != nil {
		return err
	}
	batch := new(pgx.Batch)
	for _, line := range order.Lines {
		batch.Queue(`INSERT INTO order_lines (order_id, line_number, item_id, quantity, price) VALUES ($1, $2, $3, $4, $5)`,
			order.ID, line.Number, line.ItemID, line.Quantity, database.Numeric(line.Price))
	}
	return tx.SendBatch(ctx, batch).Close()
}

// PlacedBy implements petstore.Orders.
func (s *Store) PlacedBy(ctx context.Context, userID, key string) (petstore.Order, error) {
	order, err := s.order(ctx, `order_key = $1 AND user_id = $2`, key, userID)
	if errors.Is(err, pgx.ErrNoRows) {
		return order, refusals.New(petstore.UnknownOrder, "There is no such order.")
	}
	return order, err
}

// Order implements petstore.Orders.
func (s *Store) Order(ctx context.Context, id int64) (petstore.Order, error) {
	order, err := s.order(ctx, `order_id = $1`, id)
	if errors.Is(err, pgx.ErrNoRows) {
		return order, petstore.NoOrder(id)
	}
	return order, err
}

func (s *Store) order(ctx context.Context, condition string, args ...any) (order petstore.Order, err error) {
	into := []any{&order.ID, &order.Key, &order.UserID, &order.Date, database.Cents(&order.Total),
		&order.Card.Type, &order.Card.Number, &order.Card.Expiration}
	into = append(into, addressFields(&order.Billing)...)
	into = append(into, addressFields(&order.Shipping)...)
	err = s.run(ctx, func(ctx context.Context) error {
		if err := s.orders.QueryRow(ctx, selectOrder+condition, args...).Scan(into...); err != nil {
			return err
		}
		order.Lines, err = collect(ctx, s.orders, readLine,
			`SELECT item_id, line_number, quantity, price FROM order_lines WHERE order_id = $1 ORDER BY line_number`, order.ID)
		return err
	})
	return order, err
}

func readLine(row pgx.CollectableRow) (l petstore.Line, err error) {
	err = row.Scan(&l.ItemID, &l.Number, &l.Quantity, database.Cents(&l.Price))
	return l, err
}
