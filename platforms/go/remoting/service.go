// Package remoting has the words and the rules of the service that clients call over many protocols (specs/remoting). No technology.
package remoting

import (
	"context"

	"middlemark/refusals"
	"middlemark/remoting/tables"
)

// The codes of this specification beside those that every one has.
const (
	Unauthenticated refusals.Code = "unauthenticated"
	Forbidden       refusals.Code = "forbidden"
)

// Service is the operations. The service implements it, and every client's side of a protocol.
type Service interface {
	Ping(ctx context.Context) error
	// StoreOrder stores an order with its lines and answers its id.
	StoreOrder(ctx context.Context, order *Order) (int64, error)
	// StoreOrderTables stores the order that the tables `orders` and `order_lines` hold.
	StoreOrderTables(ctx context.Context, order *tables.Set) (int64, error)
	LoadProducts(ctx context.Context) ([]Product, error)
	LoadProductsTables(ctx context.Context) (*tables.Set, error)
	// LoadProductsConverted reads products into a table set first.
	LoadProductsConverted(ctx context.Context) ([]Product, error)
	// LoadCustomer answers nil when no customer has the id.
	LoadCustomer(ctx context.Context, customerID string) (*Customer, error)
	LoadCustomerTables(ctx context.Context, customerID string) (*tables.Set, error)
}

// NotKnown refuses a caller without valid credentials.
func NotKnown() error { return refusals.New(Unauthenticated, "Who calls is not known.") }

// NotAllowed refuses a known caller without the role.
func NotAllowed() error { return refusals.New(Forbidden, "This caller may not call the service.") }

// IsKnown says whether the specification has a code.
func IsKnown(code refusals.Code) bool {
	return code == Unauthenticated || code == Forbidden || code == refusals.InvalidInput || code.BlamesServer()
}
