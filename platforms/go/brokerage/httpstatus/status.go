// Package httpstatus maps the brokerage's codes to HTTP, once for pages and services.
package httpstatus

import (
	"net/http"

	"middlemark/brokerage"
)

// Of is the HTTP status of a code.
func Of(code brokerage.Code) int {
	switch code {
	case brokerage.InvalidInput:
		return http.StatusBadRequest
	case brokerage.AuthenticationFailed:
		return http.StatusForbidden
	case brokerage.UnknownUser, brokerage.UnknownSymbol, brokerage.UnknownHolding, brokerage.UnknownOperation:
		return http.StatusNotFound
	case brokerage.UserExists, brokerage.InsufficientFunds, brokerage.AlreadyBeingSold:
		return http.StatusConflict
	case brokerage.Unavailable:
		return http.StatusServiceUnavailable
	}
	return http.StatusInternalServerError
}
