package web

import (
	"net/http"
	"strconv"

	"middlemark/brokerage/httpstatus"
	"middlemark/refusals"
)

// configContent is the settings in their form, as typed when they were refused.
type configContent struct {
	Choices
	Settings
	TypedSeconds string
}

func (s *Site) config(v visit) error {
	settings := s.controls.Settings()
	s.showConfig(v, http.StatusOK, "", configContent{
		Settings: settings, TypedSeconds: strconv.Itoa(settings.MarketSummarySeconds),
	})
	return nil
}

func (s *Site) changeConfig(v visit) error {
	typed := Settings{Binding: v.typed("binding"), ServicesURL: v.typed("services_url"), Orders: v.typed("orders")}
	seconds := v.typed("market_summary_seconds")
	err := s.change(typed, seconds)
	if err != nil && refusedForm(err) {
		refusal := s.refusal(v, err)
		s.showConfig(v, httpstatus.Of(refusal.Code), refusal.Message, configContent{Settings: typed, TypedSeconds: seconds})
		return nil
	}
	if err != nil {
		return err
	}
	v.redirect("/config")
	return nil
}

func (s *Site) change(typed Settings, seconds string) error {
	parsed, err := strconv.ParseUint(seconds, 10, 31)
	if err != nil {
		return refusals.New(refusals.InvalidInput, "The age of the market summary must be a whole number of seconds.")
	}
	typed.MarketSummarySeconds = int(parsed)
	if err := s.controls.Change(typed); err != nil {
		return err
	}
	s.market.forget()
	return nil
}

func (s *Site) showConfig(v visit, status int, message string, content configContent) {
	content.Choices = s.controls.Choices()
	s.show(v, status, page{Name: "config", Title: "Configuration", Message: message, Content: content})
}
