package messages

import (
	"context"

	"middlemark/brokerage"
)

// Exchange sends the request of an operation and reads its answer into answer, a pointer to a message.
type Exchange func(ctx context.Context, operation string, request, answer any) error

// Client implements brokerage.Services by calling them elsewhere.
type Client struct {
	exchange Exchange
}

// NewClient calls the services by exchange.
func NewClient(exchange Exchange) *Client { return &Client{exchange} }

// call answers nothing but an error when the exchange failed: what was read until then is no answer.
func call[Answer any](ctx context.Context, c *Client, operation string, request any) (Answer, error) {
	var answer, none Answer
	if err := c.exchange(ctx, operation, request, &answer); err != nil {
		return none, err
	}
	return answer, nil
}

// Ping calls the operation of that name.
func (c *Client) Ping(ctx context.Context) error {
	_, err := call[nothing](ctx, c, "ping", nothing{})
	return err
}

// Login calls the operation of that name.
func (c *Client) Login(ctx context.Context, userID, password string) (brokerage.Account, error) {
	answer, err := call[accountMessage](ctx, c, "login", loginMessage{userID, password})
	return brokerage.Account(answer), err
}

// Logout calls the operation of that name.
func (c *Client) Logout(ctx context.Context, userID string) error {
	_, err := call[nothing](ctx, c, "logout", userMessage{userID})
	return err
}

// Register calls the operation of that name.
func (c *Client) Register(ctx context.Context, r brokerage.Registration) (brokerage.Account, error) {
	answer, err := call[accountMessage](ctx, c, "register", registerMessage{
		UserID: r.UserID, Password: r.Password, FullName: r.FullName, Address: r.Address,
		Email: r.Email, CreditCard: r.CreditCard, OpenBalance: &r.OpenBalance,
	})
	return brokerage.Account(answer), err
}

// GetAccount calls the operation of that name.
func (c *Client) GetAccount(ctx context.Context, userID string) (brokerage.Account, error) {
	answer, err := call[accountMessage](ctx, c, "getAccount", userMessage{userID})
	return brokerage.Account(answer), err
}

// GetProfile calls the operation of that name.
func (c *Client) GetProfile(ctx context.Context, userID string) (brokerage.Profile, error) {
	answer, err := call[profileMessage](ctx, c, "getProfile", userMessage{userID})
	return brokerage.Profile(answer), err
}

// UpdateProfile calls the operation of that name.
func (c *Client) UpdateProfile(ctx context.Context, p brokerage.Profile, newPassword string) (brokerage.Profile, error) {
	answer, err := call[profileMessage](ctx, c, "updateProfile", updateProfileMessage{
		UserID: p.UserID, FullName: p.FullName, Address: p.Address,
		Email: p.Email, CreditCard: p.CreditCard, Password: newPassword,
	})
	return brokerage.Profile(answer), err
}

// GetHoldings calls the operation of that name.
func (c *Client) GetHoldings(ctx context.Context, userID string) ([]brokerage.Holding, error) {
	answer, err := call[holdingsMessage](ctx, c, "getHoldings", userMessage{userID})
	return each(answer.Holdings, fromHolding), err
}

// GetHolding calls the operation of that name.
func (c *Client) GetHolding(ctx context.Context, userID string, holdingID int64) (brokerage.Holding, error) {
	answer, err := call[holdingMessage](ctx, c, "getHolding", userHoldingMessage{userID, holdingID})
	return fromHolding(answer), err
}

// GetOrders calls the operation of that name.
func (c *Client) GetOrders(ctx context.Context, userID string, limit int) ([]brokerage.Order, error) {
	answer, err := call[ordersMessage](ctx, c, "getOrders", getOrdersMessage{userID, limit})
	return each(answer.Orders, fromOrder), err
}

// GetClosedOrders calls the operation of that name.
func (c *Client) GetClosedOrders(ctx context.Context, userID string) ([]brokerage.Order, error) {
	answer, err := call[ordersMessage](ctx, c, "getClosedOrders", userMessage{userID})
	return each(answer.Orders, fromOrder), err
}

// GetQuote calls the operation of that name.
func (c *Client) GetQuote(ctx context.Context, symbol string) (brokerage.Quote, error) {
	answer, err := call[quoteMessage](ctx, c, "getQuote", symbolMessage{symbol})
	return fromQuote(answer), err
}

// GetQuotes calls the operation of that name.
func (c *Client) GetQuotes(ctx context.Context, symbols []string) ([]brokerage.Quote, error) {
	listed := append([]string{}, symbols...) // no symbols are an empty list, not nil
	answer, err := call[quotesMessage](ctx, c, "getQuotes", symbolsMessage{listed})
	return each(answer.Quotes, fromQuote), err
}

// GetMarketSummary calls the operation of that name.
func (c *Client) GetMarketSummary(ctx context.Context) (brokerage.MarketSummary, error) {
	m, err := call[marketSummaryMessage](ctx, c, "getMarketSummary", nothing{})
	return brokerage.MarketSummary{
		Index: m.Index, OpenIndex: m.OpenIndex, Volume: m.Volume,
		Gainers: each(m.Gainers, fromQuote), Losers: each(m.Losers, fromQuote), AsOf: m.AsOf,
	}, err
}

// Buy calls the operation of that name.
func (c *Client) Buy(ctx context.Context, userID, symbol string, quantity int64) (brokerage.Order, error) {
	answer, err := call[orderMessage](ctx, c, "buy", buyMessage{userID, symbol, quantity})
	return fromOrder(answer), err
}

// Sell calls the operation of that name.
func (c *Client) Sell(ctx context.Context, userID string, holdingID int64) (brokerage.Order, error) {
	answer, err := call[orderMessage](ctx, c, "sell", userHoldingMessage{userID, holdingID})
	return fromOrder(answer), err
}
