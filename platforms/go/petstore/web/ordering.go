package web

import (
	"context"
	"errors"
	"net/http"

	"github.com/google/uuid"

	"middlemark/petstore"
	"middlemark/refusals"
)

func newKey() string { return uuid.NewString() }

// place makes the order of the confirmed cart, or shows the one that the key has made.
func (s *Site) place(v visit) error {
	key, err := uuid.Parse(v.typed("order_key"))
	if err != nil {
		return checkoutEnded()
	}
	if key.String() != v.who.checkout.key {
		order, err := s.shop.Orders.PlacedBy(v.r.Context(), v.who.customer.UserID, key.String())
		if errors.Is(err, petstore.UnknownOrder) {
			return checkoutEnded()
		}
		return s.showOrder(v, order, err)
	}
	order, err := s.confirmedOrder(v)
	if err != nil {
		return err
	}
	order, err = s.shop.Orders.Place(v.r.Context(), order)
	if err != nil {
		return err
	}
	err = v.change(func(who *visitor) error {
		if who.checkout.key == order.Key {
			who.cart, who.checkout = petstore.Cart{}, checkout{}
		}
		return nil
	})
	return s.showOrder(v, order, err)
}

func checkoutEnded() error {
	return refusals.New(petstore.CheckoutEnded, "This checkout has ended. Please begin again from the cart.")
}

// confirmedOrder is the order as it was confirmed, at the catalog's prices.
func (s *Site) confirmedOrder(v visit) (petstore.Order, error) {
	items, err := s.shop.Catalog.Items(v.r.Context(), v.who.cart.ItemIDs())
	if err != nil {
		return petstore.Order{}, err
	}
	return petstore.Order{
		Key: v.who.checkout.key, UserID: v.who.customer.UserID, Lines: v.who.cart.Lines(items),
		Card: v.who.checkout.billing.Card, Billing: v.who.checkout.billing.Address, Shipping: v.who.customer.Address,
	}, nil
}

func (s *Site) showOrder(v visit, order petstore.Order, err error) error {
	if err != nil {
		return err
	}
	v.show(http.StatusOK, page{Name: "placed", Title: "Order", Content: order})
	return nil
}

func (s *Site) order(v visit) error {
	id, err := petstore.ParseOrderID(v.typed("order_id"))
	if err != nil {
		return err
	}
	order, err := s.shop.Orders.Order(v.r.Context(), id)
	if err == nil && order.UserID != v.who.customer.UserID {
		err = petstore.NoOrder(id)
	}
	return s.showOrder(v, order, err)
}

// RemoteOrders is the web service of another server.
type RemoteOrders interface {
	GetOrder(ctx context.Context, id int64) (petstore.Order, error)
}

func (s *Site) remoteOrder(v visit) error {
	shown := page{Name: "remote-order", Title: "Order status"}
	if text := v.typed("order_id"); text != "" {
		id, err := petstore.ParseOrderID(text)
		if err != nil {
			return err
		}
		order, err := s.shop.Remote.GetOrder(v.r.Context(), id)
		if err != nil {
			return err
		}
		shown.Content = &order
	}
	v.show(http.StatusOK, shown)
	return nil
}
