package web

import (
	"net/http"
	"sync"

	"middlemark/petstore"
	"middlemark/refusals"
)

func (s *Site) signInForm(v visit) error {
	v.show(http.StatusOK, signInPage("", ""))
	return nil
}

// signInPage shows the form; userID is what was typed before.
func signInPage(message, userID string) page {
	return page{Name: "sign-in", Title: "Sign in", Message: message, Content: userID}
}

// signIn begins a new session with the cart of the one before.
func (s *Site) signIn(v visit) error {
	userID, password := v.typed("user_id"), v.typed("password")
	customer, err := s.customer(v, userID, password)
	if refusal := refusals.Of(err); err != nil && !refusal.Code.BlamesServer() {
		v.show(status(refusal.Code), signInPage(refusal.Message, userID))
		return nil
	}
	if err != nil {
		return err
	}
	s.sessions.Start(v.w, v.r, &visitor{mu: new(sync.Mutex), customer: &customer, cart: v.who.cart})
	if v.who.cart.IsEmpty() {
		v.redirect("/")
	} else {
		v.redirect("/cart")
	}
	return nil
}

func (s *Site) customer(v visit, userID, password string) (petstore.Customer, error) {
	if err := petstore.CheckCredentials(userID, password); err != nil {
		return petstore.Customer{}, err
	}
	return s.shop.Customers.SignIn(v.r.Context(), userID, password)
}

func (s *Site) signOut(v visit) error {
	s.sessions.End(v.w, v.r)
	v.who = visitor{}
	v.show(http.StatusOK, page{Name: "signed-out", Title: "Signed out"})
	return nil
}
