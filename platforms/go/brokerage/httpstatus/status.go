// Package httpstatus maps the brokerage's codes to HTTP, once for pages and services.
package httpstatus

import (
	"net/http"

	"middlemark/brokerage"
)

var statuses = map[brokerage.Code]int{
	brokerage.InvalidInput:         http.StatusBadRequest,
	brokerage.AuthenticationFailed: http.StatusForbidden,
	brokerage.UnknownUser:          http.StatusNotFound,
	brokerage.UnknownSymbol:        http.StatusNotFound,
	brokerage.UnknownHolding:       http.StatusNotFound,
	brokerage.UserExists:           http.StatusConflict,
	brokerage.InsufficientFunds:    http.StatusConflict,
	brokerage.AlreadyBeingSold:     http.StatusConflict,
	brokerage.Unavailable:          http.StatusServiceUnavailable,
	brokerage.Internal:             http.StatusInternalServerError,
}

// Of is the HTTP status of a code, 0 when the specification has no such code.
func Of(code brokerage.Code) int { return statuses[code] }
