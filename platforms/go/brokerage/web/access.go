package web

import (
	"net/http"

	"middlemark/brokerage"
	"middlemark/brokerage/httpstatus"
	"middlemark/refusals"
)

func (s *Site) welcome(v visit) error {
	s.show(v, http.StatusOK, welcomePage("", ""))
	return nil
}

// welcomePage shows the login form; userID is what was typed before.
func welcomePage(message, userID string) page {
	return page{Name: "welcome", Title: "Welcome", Message: message, Content: map[string]string{"UserID": userID}}
}

func (s *Site) login(v visit) error {
	userID := v.typed("user_id")
	account, err := s.services().Login(v.r.Context(), userID, v.typed("password"))
	if err != nil && refusedForm(err) {
		refusal := s.refusal(v, err)
		s.show(v, httpstatus.Of(refusal.Code), welcomePage(refusal.Message, userID))
		return nil
	}
	if err != nil {
		return err
	}
	s.sessions.Start(v.w, v.r, account.UserID)
	v.redirect("/home")
	return nil
}

// logout ends the session even when the services cannot count it: the user wanted to be gone.
func (s *Site) logout(v visit) error {
	s.sessions.End(v.w, v.r)
	userID := v.userID
	if err := s.services().Logout(v.r.Context(), userID); err != nil {
		v.userID = ""
		s.fail(v, err)
		return nil
	}
	v.userID = ""
	s.show(v, http.StatusOK, welcomePage("User "+userID+" has logged out.", ""))
	return nil
}

// registerForm is the form empty.
func (s *Site) registerForm(v visit) error {
	s.show(v, http.StatusOK, registerPage("", typedRegistration{}))
	return nil
}

// typedRegistration is what the user has typed; a password is never shown again.
type typedRegistration struct {
	brokerage.Profile
	OpenBalance string
}

func registerPage(message string, typed typedRegistration) page {
	return page{Name: "register", Title: "Register", Message: message, Content: typed}
}

func (s *Site) register(v visit) error {
	typed := typedRegistration{
		Profile:     v.typedProfile(v.typed("user_id")),
		OpenBalance: v.typed("open_balance"),
	}
	account, err := s.registered(v, typed)
	if err != nil && refusedForm(err) {
		refusal := s.refusal(v, err)
		s.show(v, httpstatus.Of(refusal.Code), registerPage(refusal.Message, typed))
		return nil
	}
	if err != nil {
		return err
	}
	s.sessions.Start(v.w, v.r, account.UserID)
	v.redirect("/home")
	return nil
}

func (s *Site) registered(v visit, typed typedRegistration) (brokerage.Account, error) {
	password := v.typed("password")
	if password != v.typed("confirm_password") {
		return brokerage.Account{}, refusals.New(refusals.InvalidInput, "The two passwords differ.")
	}
	openBalance, err := brokerage.ParseOpenBalance(typed.OpenBalance)
	if err != nil {
		return brokerage.Account{}, err
	}
	return s.services().Register(v.r.Context(), brokerage.Registration{
		Profile: typed.Profile, Password: password, OpenBalance: openBalance,
	})
}

func (v visit) typedProfile(userID string) brokerage.Profile {
	return brokerage.Profile{
		UserID: userID, FullName: v.typed("full_name"), Address: v.typed("address"),
		Email: v.typed("email"), CreditCard: v.typed("credit_card"),
	}
}

func (s *Site) glossary(v visit) error {
	s.show(v, http.StatusOK, page{Name: "glossary", Title: "Glossary"})
	return nil
}
