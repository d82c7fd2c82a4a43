package web

import (
	"net/http"

	"middlemark/petstore"
	"middlemark/refusals"
)

// cartContent is the lines of a cart and what they cost.
type cartContent struct {
	Lines []cartLine
	Total any
}

type cartLine struct {
	petstore.Line
	Name    string
	InStock int64
}

// shownCart reads what a page shows of the cart.
func (s *Site) shownCart(v visit) (content cartContent, err error) {
	ids := v.who.cart.ItemIDs()
	if len(ids) == 0 {
		return content, nil
	}
	items, err := s.shop.Catalog.Items(v.r.Context(), ids)
	if err != nil {
		return content, err
	}
	stock, err := s.shop.Catalog.Inventory(v.r.Context(), ids)
	if err != nil {
		return content, err
	}
	lines := v.who.cart.Lines(items)
	for _, line := range lines {
		item := items[line.ItemID]
		content.Lines = append(content.Lines, cartLine{line, item.Product.Name + ", " + item.Name, stock[line.ItemID]})
	}
	content.Total = petstore.Total(lines)
	return content, nil
}

func (s *Site) cart(v visit) error {
	content, err := s.shownCart(v)
	if err != nil {
		return err
	}
	v.show(http.StatusOK, page{Name: "cart", Title: "Cart", Content: content})
	return nil
}

func (s *Site) add(v visit) error {
	item, err := s.knownItem(v)
	if err != nil {
		return err
	}
	err = v.change(func(who *visitor) error {
		who.checkout.key = ""
		return who.cart.Add(item.ID)
	})
	if err != nil {
		return err
	}
	return s.cart(v)
}

func (s *Site) summary(v visit) error {
	if v.who.cart.IsEmpty() {
		return emptyCart()
	}
	content, err := s.shownCart(v)
	if err != nil {
		return err
	}
	v.show(http.StatusOK, page{Name: "summary", Title: "Checkout", Content: content})
	return nil
}

func emptyCart() error { return refusals.New(petstore.EmptyCart, "The cart is empty.") }

// checkoutContent is what the pages of billing and of confirmation show.
type checkoutContent struct {
	Billing, Shipping petstore.Address
	Card              petstore.Card
	Key               string
}

func (v visit) checkoutContent(card petstore.Card) checkoutContent {
	return checkoutContent{
		Billing: v.who.checkout.billing.Address, Shipping: v.who.customer.Address, Card: card, Key: v.who.checkout.key,
	}
}

func (s *Site) billing(v visit) error {
	if v.who.cart.IsEmpty() {
		return emptyCart()
	}
	billing, err := s.shop.Customers.Billing(v.r.Context(), v.who.customer.UserID)
	if err != nil {
		return err
	}
	err = v.change(func(who *visitor) error {
		who.checkout = checkout{billing: &billing}
		return nil
	})
	if err != nil {
		return err
	}
	v.show(http.StatusOK, page{Name: "billing", Title: "Billing and shipping", Content: v.checkoutContent(billing.Card)})
	return nil
}

func (s *Site) confirm(v visit) error {
	if v.who.cart.IsEmpty() {
		return emptyCart()
	}
	if v.who.checkout.billing == nil {
		v.redirect("/checkout")
		return nil
	}
	card := petstore.Card{Type: v.typed("card_type"), Number: v.typed("card_number"), Expiration: v.typed("card_expiration")}
	if err := card.Check(); err != nil {
		refusal := refusals.Of(err)
		v.show(status(refusal.Code), page{
			Name: "billing", Title: "Billing and shipping", Message: refusal.Message, Content: v.checkoutContent(card),
		})
		return nil
	}
	err := v.change(func(who *visitor) error {
		who.checkout = checkout{billing: &petstore.Billing{Card: card, Address: v.who.checkout.billing.Address}, key: newKey()}
		return nil
	})
	if err != nil {
		return err
	}
	v.show(http.StatusOK, page{Name: "confirm", Title: "Confirm your order", Content: v.checkoutContent(card)})
	return nil
}
