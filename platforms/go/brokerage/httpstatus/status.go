// Package httpstatus maps the brokerage's codes to HTTP, once for pages and services.
package httpstatus

import (
	"net/http"

	"middlemark/brokerage"
	"middlemark/refusals"
)

var statuses = map[refusals.Code]int{
	refusals.InvalidInput:         http.StatusBadRequest,
	refusals.AuthenticationFailed: http.StatusForbidden,
	brokerage.UnknownUser:         http.StatusNotFound,
	brokerage.UnknownSymbol:       http.StatusNotFound,
	brokerage.UnknownHolding:      http.StatusNotFound,
	brokerage.UserExists:          http.StatusConflict,
	brokerage.InsufficientFunds:   http.StatusConflict,
	brokerage.AlreadyBeingSold:    http.StatusConflict,
	refusals.Unavailable:          http.StatusServiceUnavailable,
	refusals.Internal:             http.StatusInternalServerError,
}

// Of is the HTTP status of a code, 0 when the specification has no such code.
func Of(code refusals.Code) int { return statuses[code] }

// IsKnown says whether the specification has a code.
func IsKnown(code refusals.Code) bool { return Of(code) != 0 }
