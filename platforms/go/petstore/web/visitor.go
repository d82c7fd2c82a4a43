package web

import (
	"sync"

	"middlemark/petstore"
)

// visitor is what a web session remembers.
type visitor struct {
	mu       *sync.Mutex // of what follows; nobody else has a snapshot
	customer *petstore.Customer
	cart     petstore.Cart
	checkout checkout
}

// checkout is what the pages on the way to an order have shown.
type checkout struct {
	billing *petstore.Billing // nil before the page of billing
	key     string            // empty before the order is confirmed
}

// snapshot is the visitor as of now, to be read without a lock.
func (o *visitor) snapshot() visitor {
	o.mu.Lock()
	defer o.mu.Unlock()
	return visitor{customer: o.customer, cart: o.cart.Clone(), checkout: o.checkout}
}

// change changes what is remembered of the visitor, in a new session if there is none.
func (v *visit) change(change func(*visitor) error) error {
	remembered, there := v.site.sessions.Of(v.r)
	if !there {
		remembered = &visitor{mu: new(sync.Mutex)}
	}
	remembered.mu.Lock()
	err := change(remembered)
	remembered.mu.Unlock()
	if err != nil {
		return err
	}
	if !there {
		v.site.sessions.Start(v.w, v.r, remembered)
	}
	v.who = remembered.snapshot()
	return nil
}
