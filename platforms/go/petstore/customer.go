package petstore

import (
	"context"

	"middlemark/refusals"
)

// Address is where a parcel or a bill goes.
type Address struct {
	FirstName string
	LastName  string
	Address1  string
	Address2  string
	City      string
	State     string
	Zip       string
	Country   string
	Phone     string
}

// Card is how a customer pays.
type Card struct {
	Type       string
	Number     string
	Expiration string
}

// Billing is a customer's card and the address of the bill.
type Billing struct {
	Card    Card
	Address Address
}

// Customer is a user and the profile.
type Customer struct {
	UserID  string
	Address Address
}

// Customers are those who may sign in.
type Customers interface {
	SignIn(ctx context.Context, userID, password string) (Customer, error)
	Billing(ctx context.Context, userID string) (Billing, error)
}

// Check refuses a card with a text outside its limits.
func (c Card) Check() error {
	return refusals.First(
		refusals.CheckText("card type", c.Type, 1, 100),
		refusals.CheckText("card number", c.Number, 1, 40),
		refusals.CheckText("card expiration", c.Expiration, 1, 10),
	)
}

// CheckCredentials refuses what cannot be a user id and a password.
func CheckCredentials(userID, password string) error {
	return refusals.First(refusals.CheckText("user id", userID, 1, 50), refusals.CheckText("password", password, 1, 50))
}

// CheckSearch refuses what cannot be searched for.
func CheckSearch(text string) error { return refusals.CheckText("search text", text, 1, 100) }
