package web

import (
	"net/http"

	"middlemark/brokerage"
	"middlemark/brokerage/httpstatus"
)

// accountContent is the profile in its form, the account and its orders.
type accountContent struct {
	Profile brokerage.Profile
	Account brokerage.Account
	Orders  []brokerage.Order
	All     bool
}

func (s *Site) account(v visit) error {
	profile, err := s.services().GetProfile(v.r.Context(), v.userID)
	if err != nil {
		return err
	}
	return s.showAccount(v, http.StatusOK, "", profile)
}

func (s *Site) updateProfile(v visit) error {
	typed := v.typedProfile(v.userID)
	_, err := s.services().UpdateProfile(v.r.Context(), typed, v.typed("password"))
	if err != nil && refusedForm(err) {
		refusal := s.refusal(v, err)
		return s.showAccount(v, httpstatus.Of(refusal.Code), refusal.Message, typed)
	}
	if err != nil {
		return err
	}
	v.redirect("/account")
	return nil
}

func (s *Site) showAccount(v visit, status int, message string, profile brokerage.Profile) error {
	ctx, services := v.r.Context(), s.services()
	account, err := services.GetAccount(ctx, v.userID)
	if err != nil {
		return err
	}
	all, limit := v.typed("orders") == "all", brokerage.RecentOrders
	if all {
		limit = brokerage.MaxOrders
	}
	orders, err := services.GetOrders(ctx, v.userID, limit)
	if err != nil {
		return err
	}
	alerts, err := services.GetClosedOrders(ctx, v.userID)
	if err != nil {
		return err
	}
	s.show(v, status, page{
		Name: "account", Title: "Account", Message: message, Alerts: alerts,
		Content: accountContent{Profile: profile, Account: account, Orders: orders, All: all},
	})
	return nil
}
