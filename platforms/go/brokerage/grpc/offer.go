package grpc

import (
	"context"

	"middlemark/brokerage"
	"middlemark/brokerage/grpc/wire"
	"middlemark/money"
)

// offer turns messages into calls and answers into messages.
type offer struct {
	wire.UnimplementedBrokerageServer
	services brokerage.Services
}

// answered converts an answer unless the operation was refused.
func answered[From any, To any](value From, err error, convert func(From) *To) (*To, error) {
	if err != nil {
		return nil, err
	}
	return convert(value), nil
}

func toHoldings(list []brokerage.Holding) *wire.Holdings {
	return &wire.Holdings{Holdings: each(list, toHolding)}
}

func toOrders(list []brokerage.Order) *wire.Orders { return &wire.Orders{Orders: each(list, toOrder)} }

func toQuotes(list []brokerage.Quote) *wire.Quotes { return &wire.Quotes{Quotes: each(list, toQuote)} }

func (o *offer) Ping(ctx context.Context, _ *wire.Nothing) (*wire.Nothing, error) {
	return &wire.Nothing{}, o.services.Ping(ctx)
}

func (o *offer) Login(ctx context.Context, m *wire.Credentials) (*wire.Account, error) {
	account, err := o.services.Login(ctx, m.GetUserId(), m.GetPassword())
	return answered(account, err, toAccount)
}

func (o *offer) Logout(ctx context.Context, m *wire.User) (*wire.Nothing, error) {
	return &wire.Nothing{}, o.services.Logout(ctx, m.GetUserId())
}

func (o *offer) Register(ctx context.Context, m *wire.Registration) (*wire.Account, error) {
	openBalance, err := money.ParseCents(m.GetOpenBalance())
	if err != nil {
		return nil, err
	}
	account, err := o.services.Register(ctx, brokerage.Registration{
		Profile: brokerage.Profile{
			UserID: m.GetUserId(), FullName: m.GetFullName(), Address: m.GetAddress(), Email: m.GetEmail(), CreditCard: m.GetCreditCard(),
		},
		Password:    m.GetPassword(),
		OpenBalance: openBalance,
	})
	return answered(account, err, toAccount)
}

func (o *offer) GetAccount(ctx context.Context, m *wire.User) (*wire.Account, error) {
	account, err := o.services.GetAccount(ctx, m.GetUserId())
	return answered(account, err, toAccount)
}

func (o *offer) GetProfile(ctx context.Context, m *wire.User) (*wire.Profile, error) {
	profile, err := o.services.GetProfile(ctx, m.GetUserId())
	return answered(profile, err, toProfile)
}

func (o *offer) UpdateProfile(ctx context.Context, m *wire.ProfileUpdate) (*wire.Profile, error) {
	profile, err := o.services.UpdateProfile(ctx, brokerage.Profile{
		UserID: m.GetUserId(), FullName: m.GetFullName(), Address: m.GetAddress(), Email: m.GetEmail(), CreditCard: m.GetCreditCard(),
	}, m.GetPassword())
	return answered(profile, err, toProfile)
}

func (o *offer) GetHoldings(ctx context.Context, m *wire.User) (*wire.Holdings, error) {
	holdings, err := o.services.GetHoldings(ctx, m.GetUserId())
	return answered(holdings, err, toHoldings)
}

func (o *offer) GetHolding(ctx context.Context, m *wire.UserHolding) (*wire.Holding, error) {
	holding, err := o.services.GetHolding(ctx, m.GetUserId(), m.GetHoldingId())
	return answered(holding, err, toHolding)
}

func (o *offer) GetOrders(ctx context.Context, m *wire.OrdersRequest) (*wire.Orders, error) {
	orders, err := o.services.GetOrders(ctx, m.GetUserId(), int(m.GetLimit()))
	return answered(orders, err, toOrders)
}

func (o *offer) GetClosedOrders(ctx context.Context, m *wire.User) (*wire.Orders, error) {
	orders, err := o.services.GetClosedOrders(ctx, m.GetUserId())
	return answered(orders, err, toOrders)
}

func (o *offer) GetQuote(ctx context.Context, m *wire.SymbolRequest) (*wire.Quote, error) {
	quote, err := o.services.GetQuote(ctx, m.GetSymbol())
	return answered(quote, err, toQuote)
}

func (o *offer) GetQuotes(ctx context.Context, m *wire.SymbolsRequest) (*wire.Quotes, error) {
	quotes, err := o.services.GetQuotes(ctx, m.GetSymbols())
	return answered(quotes, err, toQuotes)
}

func (o *offer) GetMarketSummary(ctx context.Context, _ *wire.Nothing) (*wire.MarketSummary, error) {
	summary, err := o.services.GetMarketSummary(ctx)
	return answered(summary, err, toMarketSummary)
}

func (o *offer) Buy(ctx context.Context, m *wire.BuyRequest) (*wire.Order, error) {
	order, err := o.services.Buy(ctx, m.GetUserId(), m.GetSymbol(), m.GetQuantity())
	return answered(order, err, toOrder)
}

func (o *offer) Sell(ctx context.Context, m *wire.UserHolding) (*wire.Order, error) {
	order, err := o.services.Sell(ctx, m.GetUserId(), m.GetHoldingId())
	return answered(order, err, toOrder)
}
