// Package refusals has the errors whose message is meant for the user, the same in every application of this platform.
package refusals

import (
	"errors"
	"fmt"
)

// Code names why an operation was refused, the same in every interface. A Code is itself an error, so that
// errors.Is(err, Unavailable) holds for every refusal with that code.
type Code string

// The codes that more than one specification has.
const (
	InvalidInput         Code = "invalid_input"
	AuthenticationFailed Code = "authentication_failed"
	Unavailable          Code = "unavailable"
	Internal             Code = "internal"
)

// What a user reads of a fault that no value explains.
const (
	malformedMessage   = "The request cannot be read."
	unavailableMessage = "The service is not available at the moment. Please try again."
	internalMessage    = "Something went wrong. The details are in the log."
)

func (c Code) Error() string { return string(c) }

// Refusal is an error whose message is meant for the user.
type Refusal struct {
	Code    Code
	Message string
	cause   error // for the log only
}

func (r *Refusal) Error() string {
	if r.cause != nil {
		return fmt.Sprintf("%s: %v", r.Code, r.cause)
	}
	return fmt.Sprintf("%s: %s", r.Code, r.Message)
}

// Unwrap makes a refusal match its code.
func (r *Refusal) Unwrap() []error {
	if r.cause != nil {
		return []error{r.Code, r.cause}
	}
	return []error{r.Code}
}

// New makes a refusal; the message names the value concerned.
func New(code Code, format string, args ...any) *Refusal {
	return &Refusal{Code: code, Message: fmt.Sprintf(format, args...)}
}

// NotAvailable says that a database or a service did not answer; cause goes to the log.
func NotAvailable(cause error) *Refusal {
	return &Refusal{Code: Unavailable, Message: unavailableMessage, cause: cause}
}

// Malformed says that a request could not be read; a value that was refused while it was read says so itself.
func Malformed(cause error) *Refusal {
	var refusal *Refusal
	if errors.As(cause, &refusal) {
		return refusal
	}
	return &Refusal{Code: InvalidInput, Message: malformedMessage, cause: cause}
}

// Of is any error in the form every interface can show: what is not a refusal is `internal`.
func Of(err error) *Refusal {
	var refusal *Refusal
	if errors.As(err, &refusal) {
		return refusal
	}
	return &Refusal{Code: Internal, Message: internalMessage, cause: err}
}

// BlamesServer says whether a code is nobody's fault outside.
func (c Code) BlamesServer() bool { return c == Unavailable || c == Internal }
