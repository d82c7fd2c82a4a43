package messages

import (
	"context"
	"time"

	"middlemark/exchange"
	"middlemark/refusals"
	"middlemark/remoting"
	"middlemark/remoting/tables"
)

// CallLimit is how long a client waits for an answer (specs/remoting/protocols.md).
const CallLimit = 10 * time.Second

// Exchange sends the request of an operation over a protocol and reads the answer.
type Exchange func(ctx context.Context, operation string, request, answer any) error

// Client implements remoting.Service by calls over a protocol.
type Client struct {
	exchange Exchange
	close    func()
}

// NewClient calls by exchange; close ends its connection.
func NewClient(exchange Exchange, close func()) *Client { return &Client{exchange, close} }

// Close ends the connection to the service.
func (c *Client) Close() { c.close() }

func call[Answer any](ctx context.Context, c *Client, operation string, request any) (*Answer, error) {
	ctx, cancel := context.WithTimeout(ctx, CallLimit)
	defer cancel()
	answer := new(Answer)
	if err := c.exchange(ctx, operation, request, answer); err != nil {
		return nil, err
	}
	return answer, nil
}

// Ping implements remoting.Service.
func (c *Client) Ping(ctx context.Context) error {
	_, err := call[Nothing](ctx, c, "ping", &Nothing{})
	return err
}

// StoreOrder implements remoting.Service.
func (c *Client) StoreOrder(ctx context.Context, order *remoting.Order) (int64, error) {
	return c.id(ctx, "storeOrder", order)
}

// StoreOrderTables implements remoting.Service.
func (c *Client) StoreOrderTables(ctx context.Context, order *tables.Set) (int64, error) {
	return c.id(ctx, "storeOrderTables", &TableSet{*order})
}

func (c *Client) id(ctx context.Context, operation string, request any) (int64, error) {
	answer, err := call[OrderID](ctx, c, operation, request)
	if err != nil {
		return 0, err
	}
	return answer.OrderID, nil
}

// LoadProducts implements remoting.Service.
func (c *Client) LoadProducts(ctx context.Context) ([]remoting.Product, error) {
	return c.products(ctx, "loadProducts")
}

// LoadProductsConverted implements remoting.Service.
func (c *Client) LoadProductsConverted(ctx context.Context) ([]remoting.Product, error) {
	return c.products(ctx, "loadProductsConverted")
}

func (c *Client) products(ctx context.Context, operation string) ([]remoting.Product, error) {
	answer, err := call[Products](ctx, c, operation, &Nothing{})
	if err != nil {
		return nil, err
	}
	return answer.Products, nil
}

// LoadCustomer implements remoting.Service.
func (c *Client) LoadCustomer(ctx context.Context, customerID string) (*remoting.Customer, error) {
	answer, err := call[FoundCustomer](ctx, c, "loadCustomer", &CustomerID{customerID})
	if err != nil {
		return nil, err
	}
	return answer.Customer, nil
}

// LoadProductsTables implements remoting.Service.
func (c *Client) LoadProductsTables(ctx context.Context) (*tables.Set, error) {
	return c.set(ctx, "loadProductsTables", &Nothing{})
}

// LoadCustomerTables implements remoting.Service.
func (c *Client) LoadCustomerTables(ctx context.Context, customerID string) (*tables.Set, error) {
	return c.set(ctx, "loadCustomerTables", &CustomerID{customerID})
}

func (c *Client) set(ctx context.Context, operation string, request any) (*tables.Set, error) {
	answer, err := call[TableSet](ctx, c, operation, request)
	if err != nil {
		return nil, err
	}
	return &answer.Set, nil
}

// Unread is the refusal of a request that the service's server has refused without a code.
func Unread() error {
	return refusals.New(refusals.InvalidInput, "The service cannot read the request.")
}

// Refused is the refusal that the service has sent; one with a code outside of the specification is no answer.
func Refused(code refusals.Code, message string) error {
	return exchange.Refused(code, message, remoting.IsKnown)
}
