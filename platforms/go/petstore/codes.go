package petstore

import (
	"middlemark/refusals"
)

// The codes of specs/petstore/README.md besides those of every application.
const (
	UnknownCategory refusals.Code = "unknown_category"
	UnknownProduct  refusals.Code = "unknown_product"
	UnknownItem     refusals.Code = "unknown_item"
	UnknownOrder    refusals.Code = "unknown_order"
	EmptyCart       refusals.Code = "empty_cart"
	CartFull        refusals.Code = "cart_full"
	OutOfStock      refusals.Code = "out_of_stock"
	CheckoutEnded   refusals.Code = "checkout_ended"
)
