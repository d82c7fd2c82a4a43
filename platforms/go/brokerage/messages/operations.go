package messages

import (
	"context"
	"fmt"
	"runtime/debug"

	"middlemark/brokerage"
)

// Operation performs one operation: read reads the request's message, strictly; the answer is a message to write.
type Operation func(ctx context.Context, read func(message any) error) (any, error)

// Operations lists every operation of the services under its name on the wire.
func Operations(services brokerage.Services) map[string]Operation {
	o := offer{services}
	return map[string]Operation{
		"ping":             with(o.ping),
		"login":            with(o.login),
		"logout":           with(o.logout),
		"register":         with(o.register),
		"getAccount":       with(o.getAccount),
		"getProfile":       with(o.getProfile),
		"updateProfile":    with(o.updateProfile),
		"getHoldings":      with(o.getHoldings),
		"getHolding":       with(o.getHolding),
		"getOrders":        with(o.getOrders),
		"getClosedOrders":  with(o.getClosedOrders),
		"getQuote":         with(o.getQuote),
		"getQuotes":        with(o.getQuotes),
		"getMarketSummary": with(o.getMarketSummary),
		"buy":              with(o.buy),
		"sell":             with(o.sell),
	}
}

// offer turns messages into calls and answers into messages.
type offer struct {
	services brokerage.Services
}

func (o offer) ping(ctx context.Context, _ nothing) (nothing, error) {
	return nothing{}, o.services.Ping(ctx)
}

func (o offer) login(ctx context.Context, m loginMessage) (accountMessage, error) {
	account, err := o.services.Login(ctx, m.UserID, m.Password)
	return accountMessage(account), err
}

func (o offer) logout(ctx context.Context, m userMessage) (nothing, error) {
	return nothing{}, o.services.Logout(ctx, m.UserID)
}

func (o offer) register(ctx context.Context, m registerMessage) (accountMessage, error) {
	account, err := o.services.Register(ctx, brokerage.Registration{
		Profile: brokerage.Profile{
			UserID: m.UserID, FullName: m.FullName, Address: m.Address, Email: m.Email, CreditCard: m.CreditCard,
		},
		Password:    m.Password,
		OpenBalance: m.OpenBalance,
	})
	return accountMessage(account), err
}

func (o offer) getAccount(ctx context.Context, m userMessage) (accountMessage, error) {
	account, err := o.services.GetAccount(ctx, m.UserID)
	return accountMessage(account), err
}

func (o offer) getProfile(ctx context.Context, m userMessage) (profileMessage, error) {
	profile, err := o.services.GetProfile(ctx, m.UserID)
	return profileMessage(profile), err
}

func (o offer) updateProfile(ctx context.Context, m updateProfileMessage) (profileMessage, error) {
	profile, err := o.services.UpdateProfile(ctx, brokerage.Profile{
		UserID: m.UserID, FullName: m.FullName, Address: m.Address, Email: m.Email, CreditCard: m.CreditCard,
	}, m.Password)
	return profileMessage(profile), err
}

func (o offer) getHoldings(ctx context.Context, m userMessage) (holdingsMessage, error) {
	holdings, err := o.services.GetHoldings(ctx, m.UserID)
	return holdingsMessage{each(holdings, toHolding)}, err
}

func (o offer) getHolding(ctx context.Context, m userHoldingMessage) (holdingMessage, error) {
	holding, err := o.services.GetHolding(ctx, m.UserID, m.HoldingID)
	return toHolding(holding), err
}

func (o offer) getOrders(ctx context.Context, m getOrdersMessage) (ordersMessage, error) {
	orders, err := o.services.GetOrders(ctx, m.UserID, int(m.Limit))
	return ordersMessage{each(orders, toOrder)}, err
}

func (o offer) getClosedOrders(ctx context.Context, m userMessage) (ordersMessage, error) {
	orders, err := o.services.GetClosedOrders(ctx, m.UserID)
	return ordersMessage{each(orders, toOrder)}, err
}

func (o offer) getQuote(ctx context.Context, m symbolMessage) (quoteMessage, error) {
	quote, err := o.services.GetQuote(ctx, m.Symbol)
	return toQuote(quote), err
}

func (o offer) getQuotes(ctx context.Context, m symbolsMessage) (quotesMessage, error) {
	quotes, err := o.services.GetQuotes(ctx, m.Symbols)
	return quotesMessage{each(quotes, toQuote)}, err
}

func (o offer) getMarketSummary(ctx context.Context, _ nothing) (marketSummaryMessage, error) {
	m, err := o.services.GetMarketSummary(ctx)
	return marketSummaryMessage{
		Index: m.Index, OpenIndex: m.OpenIndex, Volume: m.Volume,
		Gainers: each(m.Gainers, toQuote), Losers: each(m.Losers, toQuote), AsOf: m.AsOf,
	}, err
}

func (o offer) buy(ctx context.Context, m buyMessage) (orderMessage, error) {
	order, err := o.services.Buy(ctx, m.UserID, m.Symbol, m.Quantity)
	return toOrder(order), err
}

func (o offer) sell(ctx context.Context, m userHoldingMessage) (orderMessage, error) {
	order, err := o.services.Sell(ctx, m.UserID, m.HoldingID)
	return toOrder(order), err
}

// with makes an operation of a function from one message to another. A panic is an error like any other, so that each
// binding answers it in its own form.
func with[Request, Answer any](perform func(context.Context, Request) (Answer, error)) Operation {
	return func(ctx context.Context, read func(any) error) (answer any, err error) {
		defer func() {
			if reason := recover(); reason != nil {
				answer, err = nil, fmt.Errorf("panic: %v\n%s", reason, debug.Stack())
			}
		}()
		var request Request
		if err := read(&request); err != nil {
			return nil, err
		}
		return perform(ctx, request)
	}
}
