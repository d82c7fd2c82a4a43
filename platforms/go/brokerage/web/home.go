package web

import (
	"net/http"
	"time"

	"middlemark/brokerage"
	"middlemark/money"
)

// worth sums up holdings.
type worth struct {
	Holdings []brokerage.Holding
}

// Cost is what all holdings cost.
func (w worth) Cost() (sum money.Cents) {
	for _, holding := range w.Holdings {
		sum += holding.Cost()
	}
	return sum
}

// Value is what all holdings are worth now.
func (w worth) Value() (sum money.Cents) {
	for _, holding := range w.Holdings {
		sum += holding.Value()
	}
	return sum
}

// Gain is the gain of all holdings, or the loss when negative.
func (w worth) Gain() money.Cents { return w.Value() - w.Cost() }

// homeContent is the account summary and the market summary.
type homeContent struct {
	worth
	Account brokerage.Account
	Market  brokerage.MarketSummary
}

// Total is the balance and what the holdings are worth.
func (h homeContent) Total() money.Cents { return h.Account.Balance + h.Value() }

// TotalGain is how far the total is from the opening balance.
func (h homeContent) TotalGain() money.Cents { return h.Total() - h.Account.OpenBalance }

func (s *Site) home(v visit) error {
	ctx, services := v.r.Context(), s.services()
	account, err := services.GetAccount(ctx, v.userID)
	if err != nil {
		return err
	}
	holdings, err := services.GetHoldings(ctx, v.userID)
	if err != nil {
		return err
	}
	age := time.Duration(s.controls.Settings().MarketSummarySeconds) * time.Second
	market, err := s.market.get(ctx, services, age)
	if err != nil {
		return err
	}
	alerts, err := services.GetClosedOrders(ctx, v.userID)
	if err != nil {
		return err
	}
	s.show(v, http.StatusOK, page{
		Name: "home", Title: "Home", Alerts: alerts,
		Content: homeContent{worth: worth{holdings}, Account: account, Market: market},
	})
	return nil
}

func (s *Site) portfolio(v visit) error {
	ctx, services := v.r.Context(), s.services()
	holdings, err := services.GetHoldings(ctx, v.userID)
	if err != nil {
		return err
	}
	alerts, err := services.GetClosedOrders(ctx, v.userID)
	if err != nil {
		return err
	}
	s.show(v, http.StatusOK, page{
		Name: "portfolio", Title: "Portfolio", Alerts: alerts, Content: worth{holdings},
	})
	return nil
}
