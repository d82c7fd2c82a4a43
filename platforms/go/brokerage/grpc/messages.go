package grpc

import (
	"errors"

	"google.golang.org/protobuf/types/known/timestamppb"

	"middlemark/brokerage"
	"middlemark/brokerage/grpc/wire"
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

// reading turns an answer into the brokerage's words and keeps its first fault: protocol buffers answer what was not
// sent with an empty text, 0 or nil, which no value of an answer is that is checked here.
type reading struct{ fault error }

func (r *reading) check(key string, right bool) {
	if !right && r.fault == nil {
		r.fault = errors.New("the key " + key + " is missing or malformed")
	}
}

func (r *reading) money(key, text string) brokerage.Cents {
	amount, err := brokerage.ParseCents(text)
	r.check(key, err == nil)
	return amount
}

func (r *reading) time(key string, sent *timestamppb.Timestamp) brokerage.Instant {
	r.check(key, sent != nil && sent.CheckValid() == nil && sent.GetNanos()%1000 == 0)
	return brokerage.InstantOf(sent.AsTime())
}

func (r *reading) account(a *wire.Account) brokerage.Account {
	r.check("account_id", a.GetAccountId() > 0)
	r.check("user_id", a.GetUserId() != "")
	return brokerage.Account{
		AccountID: a.GetAccountId(), UserID: a.GetUserId(), CreationTime: r.time("creation_time", a.GetCreationTime()),
		OpenBalance: r.money("open_balance", a.GetOpenBalance()), Balance: r.money("balance", a.GetBalance()),
		LoginCount: a.GetLoginCount(), LogoutCount: a.GetLogoutCount(), LastLogin: r.time("last_login", a.GetLastLogin()),
	}
}

func (r *reading) profile(p *wire.Profile) brokerage.Profile {
	r.check("user_id", p.GetUserId() != "")
	r.check("full_name", p.GetFullName() != "")
	return brokerage.Profile{
		UserID: p.GetUserId(), FullName: p.GetFullName(), Address: p.GetAddress(), Email: p.GetEmail(), CreditCard: p.GetCreditCard(),
	}
}

func (r *reading) quote(q *wire.Quote) brokerage.Quote {
	r.check("symbol", q.GetSymbol() != "")
	return brokerage.Quote{
		Symbol: q.GetSymbol(), Company: q.GetCompany(), Price: r.money("price", q.GetPrice()), Open: r.money("open", q.GetOpen()),
		Low: r.money("low", q.GetLow()), High: r.money("high", q.GetHigh()), Change: r.money("change", q.GetChange()), Volume: q.GetVolume(),
	}
}

func (r *reading) quotes(q *wire.Quotes) []brokerage.Quote { return each(q.GetQuotes(), r.quote) }

func (r *reading) holding(h *wire.Holding) brokerage.Holding {
	r.check("holding_id", h.GetHoldingId() > 0)
	r.check("symbol", h.GetSymbol() != "")
	r.check("quantity", h.GetQuantity() > 0)
	return brokerage.Holding{
		HoldingID: h.GetHoldingId(), Symbol: h.GetSymbol(), Quantity: h.GetQuantity(),
		PurchasePrice: r.money("purchase_price", h.GetPurchasePrice()), PurchaseTime: r.time("purchase_time", h.GetPurchaseTime()),
		Price: r.money("price", h.GetPrice()), BeingSold: h.GetBeingSold(),
	}
}

func (r *reading) holdings(h *wire.Holdings) []brokerage.Holding {
	return each(h.GetHoldings(), r.holding)
}

func (r *reading) order(o *wire.Order) brokerage.Order {
	r.check("order_id", o.GetOrderId() > 0)
	r.check("symbol", o.GetSymbol() != "")
	r.check("quantity", o.GetQuantity() > 0)
	order := brokerage.Order{
		OrderID: o.GetOrderId(), Type: brokerage.OrderType(o.GetType()), Status: brokerage.OrderStatus(o.GetStatus()),
		Symbol: o.GetSymbol(), Quantity: o.GetQuantity(), Price: r.money("price", o.GetPrice()), Fee: r.money("fee", o.GetFee()),
		OpenTime: r.time("open_time", o.GetOpenTime()), HoldingID: o.HoldingId,
	}
	r.money("total", o.GetTotal())
	r.check("type", order.Type == brokerage.BuyOrder || order.Type == brokerage.SellOrder)
	r.check("status", order.Status == brokerage.OrderOpen || order.Status == brokerage.OrderClosed)
	if o.CompletionTime != nil {
		completed := r.time("completion_time", o.GetCompletionTime())
		order.CompletionTime = &completed
	}
	return order
}

func (r *reading) orders(o *wire.Orders) []brokerage.Order { return each(o.GetOrders(), r.order) }

func (r *reading) marketSummary(m *wire.MarketSummary) brokerage.MarketSummary {
	return brokerage.MarketSummary{
		Index: r.money("index", m.GetIndex()), OpenIndex: r.money("open_index", m.GetOpenIndex()), Volume: m.GetVolume(),
		Gainers: each(m.GetGainers(), r.quote), Losers: each(m.GetLosers(), r.quote), AsOf: r.time("as_of", m.GetAsOf()),
	}
}
