// Package brokerage holds the words and rules of the brokerage (specs/brokerage/README.md) and nothing of the
// technology around them: the packages below it are named after theirs.
package brokerage

import "context"

// Services are the business operations. Every binding offers exactly these, from one implementation; the names are
// the contract's, so that one search finds an operation on both sides of a binding.
type Services interface {
	Ping(ctx context.Context) error
	Login(ctx context.Context, userID, password string) (Account, error)
	Logout(ctx context.Context, userID string) error
	Register(ctx context.Context, registration Registration) (Account, error)
	GetAccount(ctx context.Context, userID string) (Account, error)
	GetProfile(ctx context.Context, userID string) (Profile, error)
	// UpdateProfile leaves the password unchanged when newPassword is empty.
	UpdateProfile(ctx context.Context, profile Profile, newPassword string) (Profile, error)
	GetHoldings(ctx context.Context, userID string) ([]Holding, error)
	GetHolding(ctx context.Context, userID string, holdingID int64) (Holding, error)
	// GetOrders answers the newest orders first.
	GetOrders(ctx context.Context, userID string, limit int) ([]Order, error)
	// GetClosedOrders answers the orders completed and not yet seen, oldest first, and marks them seen.
	GetClosedOrders(ctx context.Context, userID string) ([]Order, error)
	GetQuote(ctx context.Context, symbol string) (Quote, error)
	// GetQuotes answers in the order asked, each symbol once, unknown symbols left out.
	GetQuotes(ctx context.Context, symbols []string) ([]Quote, error)
	GetMarketSummary(ctx context.Context) (MarketSummary, error)
	Buy(ctx context.Context, userID, symbol string, quantity int64) (Order, error)
	Sell(ctx context.Context, userID string, holdingID int64) (Order, error)
}
