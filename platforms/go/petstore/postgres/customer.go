package postgres

import (
	"context"
	"crypto/subtle"
	"errors"

	"github.com/jackc/pgx/v5"

	"middlemark/petstore"
	"middlemark/refusals"
)

// SignIn implements petstore.Customers.
func (s *Store) SignIn(ctx context.Context, userID, password string) (petstore.Customer, error) {
	customer := petstore.Customer{UserID: userID}
	var stored string
	err := s.run(ctx, func(ctx context.Context) error {
		into := append([]any{&stored}, addressFields(&customer.Address)...)
		return s.orders.QueryRow(ctx, `
			SELECT password, first_name, last_name, address_1, address_2, city, state, zip, country, phone
			FROM users WHERE user_id = $1`, userID).Scan(into...)
	})
	if errors.Is(err, pgx.ErrNoRows) || err == nil && subtle.ConstantTimeCompare([]byte(stored), []byte(password)) == 0 {
		return petstore.Customer{}, refusals.New(refusals.AuthenticationFailed, "Unknown user or wrong password.")
	}
	return customer, err
}

// Billing implements petstore.Customers.
func (s *Store) Billing(ctx context.Context, userID string) (billing petstore.Billing, err error) {
	into := append([]any{&billing.Card.Type, &billing.Card.Number, &billing.Card.Expiration}, addressFields(&billing.Address)...)
	err = s.run(ctx, func(ctx context.Context) error {
		return s.orders.QueryRow(ctx, `
			SELECT card_type, card_number, card_expiration, first_name, last_name, address_1, address_2, city, state, zip, country, phone
			FROM billing WHERE user_id = $1`, userID).Scan(into...)
	})
	return billing, err
}

// addressFields are the nine fields in the order of the tables.
func addressFields(a *petstore.Address) []any {
	return []any{&a.FirstName, &a.LastName, &a.Address1, &a.Address2, &a.City, &a.State, &a.Zip, &a.Country, &a.Phone}
}
