package grpc

import (
	"google.golang.org/protobuf/types/known/timestamppb"

	"middlemark/brokerage"
	"middlemark/brokerage/grpc/wire"
	"middlemark/money"
)

func toTime(instant brokerage.Instant) *timestamppb.Timestamp { return timestamppb.New(instant.Time()) }

func toAccount(a brokerage.Account) *wire.Account {
	return &wire.Account{
		AccountId: a.AccountID, UserId: a.UserID, CreationTime: toTime(a.CreationTime),
		OpenBalance: a.OpenBalance.String(), Balance: a.Balance.String(),
		LoginCount: a.LoginCount, LogoutCount: a.LogoutCount, LastLogin: toTime(a.LastLogin),
	}
}

func toProfile(p brokerage.Profile) *wire.Profile {
	return &wire.Profile{UserId: p.UserID, FullName: p.FullName, Address: p.Address, Email: p.Email, CreditCard: p.CreditCard}
}

func toQuote(q brokerage.Quote) *wire.Quote {
	return &wire.Quote{
		Symbol: q.Symbol, Company: q.Company, Price: q.Price.String(), Open: q.Open.String(),
		Low: q.Low.String(), High: q.High.String(), Change: q.Change.String(), Volume: q.Volume,
	}
}

func toHolding(h brokerage.Holding) *wire.Holding {
	return &wire.Holding{
		HoldingId: h.HoldingID, Symbol: h.Symbol, Quantity: h.Quantity, PurchasePrice: h.PurchasePrice.String(),
		PurchaseTime: toTime(h.PurchaseTime), Price: h.Price.String(), BeingSold: h.BeingSold,
	}
}

func toOrder(o brokerage.Order) *wire.Order {
	order := &wire.Order{
		OrderId: o.OrderID, Type: string(o.Type), Status: string(o.Status), Symbol: o.Symbol, Quantity: o.Quantity,
		Price: o.Price.String(), Fee: o.Fee.String(), Total: o.Total().String(), OpenTime: toTime(o.OpenTime), HoldingId: o.HoldingID,
	}
	if o.CompletionTime != nil {
		order.CompletionTime = toTime(*o.CompletionTime)
	}
	return order
}

func toMarketSummary(m brokerage.MarketSummary) *wire.MarketSummary {
	return &wire.MarketSummary{
		Index: m.Index.String(), OpenIndex: m.OpenIndex.String(), Volume: m.Volume,
		Gainers: each(m.Gainers, toQuote), Losers: each(m.Losers, toQuote), AsOf: toTime(m.AsOf),
	}
}

func each[From, To any](list []From, convert func(From) To) []To {
	converted := make([]To, len(list))
	for i, item := range list {
		converted[i] = convert(item)
	}
	return converted
}

// reading turns an answer into the brokerage's words and keeps the first amount that is none.
type reading struct{ fault error }

func (r *reading) money(text string) money.Cents {
	amount, err := money.ParseCents(text)
	if r.fault == nil {
		r.fault = err
	}
	return amount
}

func fromTime(sent *timestamppb.Timestamp) brokerage.Instant {
	return brokerage.InstantOf(sent.AsTime())
}

func (r *reading) account(a *wire.Account) brokerage.Account {
	return brokerage.Account{
		AccountID: a.GetAccountId(), UserID: a.GetUserId(), CreationTime: fromTime(a.GetCreationTime()),
		OpenBalance: r.money(a.GetOpenBalance()), Balance: r.money(a.GetBalance()),
		LoginCount: a.GetLoginCount(), LogoutCount: a.GetLogoutCount(), LastLogin: fromTime(a.GetLastLogin()),
	}
}

func (r *reading) profile(p *wire.Profile) brokerage.Profile {
	return brokerage.Profile{
		UserID: p.GetUserId(), FullName: p.GetFullName(), Address: p.GetAddress(), Email: p.GetEmail(), CreditCard: p.GetCreditCard(),
	}
}

func (r *reading) quote(q *wire.Quote) brokerage.Quote {
	return brokerage.Quote{
		Symbol: q.GetSymbol(), Company: q.GetCompany(), Price: r.money(q.GetPrice()), Open: r.money(q.GetOpen()),
		Low: r.money(q.GetLow()), High: r.money(q.GetHigh()), Change: r.money(q.GetChange()), Volume: q.GetVolume(),
	}
}

func (r *reading) quotes(q *wire.Quotes) []brokerage.Quote { return each(q.GetQuotes(), r.quote) }

func (r *reading) holding(h *wire.Holding) brokerage.Holding {
	return brokerage.Holding{
		HoldingID: h.GetHoldingId(), Symbol: h.GetSymbol(), Quantity: h.GetQuantity(),
		PurchasePrice: r.money(h.GetPurchasePrice()), PurchaseTime: fromTime(h.GetPurchaseTime()),
		Price: r.money(h.GetPrice()), BeingSold: h.GetBeingSold(),
	}
}

func (r *reading) holdings(h *wire.Holdings) []brokerage.Holding {
	return each(h.GetHoldings(), r.holding)
}

func (r *reading) order(o *wire.Order) brokerage.Order {
	order := brokerage.Order{
		OrderID: o.GetOrderId(), Type: brokerage.OrderType(o.GetType()), Status: brokerage.OrderStatus(o.GetStatus()),
		Symbol: o.GetSymbol(), Quantity: o.GetQuantity(), Price: r.money(o.GetPrice()), Fee: r.money(o.GetFee()),
		OpenTime: fromTime(o.GetOpenTime()), HoldingID: o.HoldingId,
	}
	if o.CompletionTime != nil {
		completed := fromTime(o.GetCompletionTime())
		order.CompletionTime = &completed
	}
	return order
}

func (r *reading) orders(o *wire.Orders) []brokerage.Order { return each(o.GetOrders(), r.order) }

func (r *reading) marketSummary(m *wire.MarketSummary) brokerage.MarketSummary {
	return brokerage.MarketSummary{
		Index: r.money(m.GetIndex()), OpenIndex: r.money(m.GetOpenIndex()), Volume: m.GetVolume(),
		Gainers: each(m.GetGainers(), r.quote), Losers: each(m.GetLosers(), r.quote), AsOf: fromTime(m.GetAsOf()),
	}
}
