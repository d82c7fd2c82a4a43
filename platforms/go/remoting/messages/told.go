package messages

import (
	"middlemark/exchange"
	"middlemark/refusals"
	"middlemark/remoting"
)

// Told is the refusal that the service has told; one with another code than the specification's is no answer.
func Told(code refusals.Code, message string) error {
	return exchange.Refused(code, message, remoting.IsKnown)
}
