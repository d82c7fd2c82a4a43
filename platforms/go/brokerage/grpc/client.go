package grpc

import (
	"context"

	"middlemark/brokerage"
	"middlemark/brokerage/grpc/wire"
)

type stub = wire.BrokerageClient

func nothing(*reading, *wire.Nothing) struct{} { return struct{}{} }

// Ping calls the operation of that name.
func (c *Client) Ping(ctx context.Context) error {
	_, err := call(ctx, c, stub.Ping, &wire.Nothing{}, nothing)
	return err
}

// Login calls the operation of that name.
func (c *Client) Login(ctx context.Context, userID, password string) (brokerage.Account, error) {
	return call(ctx, c, stub.Login, &wire.Credentials{UserId: userID, Password: password}, (*reading).account)
}

// Logout calls the operation of that name.
func (c *Client) Logout(ctx context.Context, userID string) error {
	_, err := call(ctx, c, stub.Logout, &wire.User{UserId: userID}, nothing)
	return err
}

// Register calls the operation of that name.
func (c *Client) Register(ctx context.Context, r brokerage.Registration) (brokerage.Account, error) {
	return call(ctx, c, stub.Register, &wire.Registration{
		UserId: r.UserID, Password: r.Password, FullName: r.FullName, Address: r.Address,
		Email: r.Email, CreditCard: r.CreditCard, OpenBalance: r.OpenBalance.String(),
	}, (*reading).account)
}

// GetAccount calls the operation of that name.
func (c *Client) GetAccount(ctx context.Context, userID string) (brokerage.Account, error) {
	return call(ctx, c, stub.GetAccount, &wire.User{UserId: userID}, (*reading).account)
}

// GetProfile calls the operation of that name.
func (c *Client) GetProfile(ctx context.Context, userID string) (brokerage.Profile, error) {
	return call(ctx, c, stub.GetProfile, &wire.User{UserId: userID}, (*reading).profile)
}

// UpdateProfile calls the operation of that name.
func (c *Client) UpdateProfile(ctx context.Context, p brokerage.Profile, newPassword string) (brokerage.Profile, error) {
	return call(ctx, c, stub.UpdateProfile, &wire.ProfileUpdate{
		UserId: p.UserID, FullName: p.FullName, Address: p.Address,
		Email: p.Email, CreditCard: p.CreditCard, Password: newPassword,
	}, (*reading).profile)
}

// GetHoldings calls the operation of that name.
func (c *Client) GetHoldings(ctx context.Context, userID string) ([]brokerage.Holding, error) {
	return call(ctx, c, stub.GetHoldings, &wire.User{UserId: userID}, (*reading).holdings)
}

// GetHolding calls the operation of that name.
func (c *Client) GetHolding(ctx context.Context, userID string, holdingID int64) (brokerage.Holding, error) {
	return call(ctx, c, stub.GetHolding, &wire.UserHolding{UserId: userID, HoldingId: holdingID}, (*reading).holding)
}

// GetOrders calls the operation of that name.
func (c *Client) GetOrders(ctx context.Context, userID string, limit int) ([]brokerage.Order, error) {
	return call(ctx, c, stub.GetOrders, &wire.OrdersRequest{UserId: userID, Limit: int64(limit)}, (*reading).orders)
}

// GetClosedOrders calls the operation of that name.
func (c *Client) GetClosedOrders(ctx context.Context, userID string) ([]brokerage.Order, error) {
	return call(ctx, c, stub.GetClosedOrders, &wire.User{UserId: userID}, (*reading).orders)
}

// GetQuote calls the operation of that name.
func (c *Client) GetQuote(ctx context.Context, symbol string) (brokerage.Quote, error) {
	return call(ctx, c, stub.GetQuote, &wire.SymbolRequest{Symbol: symbol}, (*reading).quote)
}

// GetQuotes calls the operation of that name.
func (c *Client) GetQuotes(ctx context.Context, symbols []string) ([]brokerage.Quote, error) {
	return call(ctx, c, stub.GetQuotes, &wire.SymbolsRequest{Symbols: symbols}, (*reading).quotes)
}

// GetMarketSummary calls the operation of that name.
func (c *Client) GetMarketSummary(ctx context.Context) (brokerage.MarketSummary, error) {
	return call(ctx, c, stub.GetMarketSummary, &wire.Nothing{}, (*reading).marketSummary)
}

// Buy calls the operation of that name.
func (c *Client) Buy(ctx context.Context, userID, symbol string, quantity int64) (brokerage.Order, error) {
	return call(ctx, c, stub.Buy, &wire.BuyRequest{UserId: userID, Symbol: symbol, Quantity: quantity}, (*reading).order)
}

// Sell calls the operation of that name.
func (c *Client) Sell(ctx context.Context, userID string, holdingID int64) (brokerage.Order, error) {
	return call(ctx, c, stub.Sell, &wire.UserHolding{UserId: userID, HoldingId: holdingID}, (*reading).order)
}
