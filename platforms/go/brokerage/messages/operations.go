package messages

import (
	"context"
	"errors"

	"middlemark/brokerage"
	"middlemark/refusals"
)

// Operation is an operation as it is offered.
type Operation struct {
	// NewRequest answers a pointer to a request that has yet to be read.
	NewRequest func() any
	// Perform performs the operation for such a request and answers the message to write.
	Perform func(ctx context.Context, services brokerage.Services, request any) (any, error)
}

// Operations are all operations by their names.
var Operations = map[string]Operation{
	"ping":             operation(ping),
	"login":            operation(login),
	"logout":           operation(logout),
	"register":         operation(register),
	"getAccount":       operation(getAccount),
	"getProfile":       operation(getProfile),
	"updateProfile":    operation(updateProfile),
	"getHoldings":      operation(getHoldings),
	"getHolding":       operation(getHolding),
	"getOrders":        operation(getOrders),
	"getClosedOrders":  operation(getClosedOrders),
	"getQuote":         operation(getQuote),
	"getQuotes":        operation(getQuotes),
	"getMarketSummary": operation(getMarketSummary),
	"buy":              operation(buy),
	"sell":             operation(sell),
}

var errNoBalance = errors.New("there is no opening balance")

// operation makes an operation of a function from one message to another.
func operation[Request, Answer any](perform func(context.Context, brokerage.Services, *Request) (Answer, error)) Operation {
	return Operation{
		NewRequest: func() any { return new(Request) },
		Perform: func(ctx context.Context, services brokerage.Services, request any) (any, error) {
			return perform(ctx, services, request.(*Request))
		},
	}
}

func ping(ctx context.Context, services brokerage.Services, _ *nothing) (nothing, error) {
	return nothing{}, services.Ping(ctx)
}

func login(ctx context.Context, services brokerage.Services, m *loginMessage) (accountMessage, error) {
	account, err := services.Login(ctx, m.UserID, m.Password)
	return accountMessage(account), err
}

func logout(ctx context.Context, services brokerage.Services, m *userMessage) (nothing, error) {
	return nothing{}, services.Logout(ctx, m.UserID)
}

func register(ctx context.Context, services brokerage.Services, m *registerMessage) (accountMessage, error) {
	if m.OpenBalance == nil {
		return accountMessage{}, refusals.Malformed(errNoBalance)
	}
	account, err := services.Register(ctx, brokerage.Registration{
		Profile: brokerage.Profile{
			UserID: m.UserID, FullName: m.FullName, Address: m.Address, Email: m.Email, CreditCard: m.CreditCard,
		},
		Password:    m.Password,
		OpenBalance: *m.OpenBalance,
	})
	return accountMessage(account), err
}

func getAccount(ctx context.Context, services brokerage.Services, m *userMessage) (accountMessage, error) {
	account, err := services.GetAccount(ctx, m.UserID)
	return accountMessage(account), err
}

func getProfile(ctx context.Context, services brokerage.Services, m *userMessage) (profileMessage, error) {
	profile, err := services.GetProfile(ctx, m.UserID)
	return profileMessage(profile), err
}

func updateProfile(ctx context.Context, services brokerage.Services, m *updateProfileMessage) (profileMessage, error) {
	profile, err := services.UpdateProfile(ctx, brokerage.Profile{
		UserID: m.UserID, FullName: m.FullName, Address: m.Address, Email: m.Email, CreditCard: m.CreditCard,
	}, m.Password)
	return profileMessage(profile), err
}

func getHoldings(ctx context.Context, services brokerage.Services, m *userMessage) (holdingsMessage, error) {
	holdings, err := services.GetHoldings(ctx, m.UserID)
	return holdingsMessage{each(holdings, toHolding)}, err
}

func getHolding(ctx context.Context, services brokerage.Services, m *userHoldingMessage) (holdingMessage, error) {
	holding, err := services.GetHolding(ctx, m.UserID, m.HoldingID)
	return toHolding(holding), err
}

func getOrders(ctx context.Context, services brokerage.Services, m *getOrdersMessage) (ordersMessage, error) {
	orders, err := services.GetOrders(ctx, m.UserID, m.Limit)
	return ordersMessage{each(orders, toOrder)}, err
}

func getClosedOrders(ctx context.Context, services brokerage.Services, m *userMessage) (ordersMessage, error) {
	orders, err := services.GetClosedOrders(ctx, m.UserID)
	return ordersMessage{each(orders, toOrder)}, err
}

func getQuote(ctx context.Context, services brokerage.Services, m *symbolMessage) (quoteMessage, error) {
	quote, err := services.GetQuote(ctx, m.Symbol)
	return toQuote(quote), err
}

func getQuotes(ctx context.Context, services brokerage.Services, m *symbolsMessage) (quotesMessage, error) {
	quotes, err := services.GetQuotes(ctx, m.Symbols)
	return quotesMessage{each(quotes, toQuote)}, err
}

func getMarketSummary(ctx context.Context, services brokerage.Services, _ *nothing) (marketSummaryMessage, error) {
	m, err := services.GetMarketSummary(ctx)
	return marketSummaryMessage{
		Index: m.Index, OpenIndex: m.OpenIndex, Volume: m.Volume,
		Gainers: each(m.Gainers, toQuote), Losers: each(m.Losers, toQuote), AsOf: m.AsOf,
	}, err
}

func buy(ctx context.Context, services brokerage.Services, m *buyMessage) (orderMessage, error) {
	order, err := services.Buy(ctx, m.UserID, m.Symbol, m.Quantity)
	return toOrder(order), err
}

func sell(ctx context.Context, services brokerage.Services, m *userHoldingMessage) (orderMessage, error) {
	order, err := services.Sell(ctx, m.UserID, m.HoldingID)
	return toOrder(order), err
}
