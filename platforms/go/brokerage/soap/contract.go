// Package soap is the SOAP binding (specs/brokerage/brokerage.wsdl): Offer offers services, NewClient calls them.
package soap

import (
	"context"
	_ "embed"
	"log/slog"
	"net/http"

	"middlemark/brokerage"
	"middlemark/brokerage/httpstatus"
	"middlemark/brokerage/messages"
	"middlemark/soap"
)

// wsdl is specs/brokerage/brokerage.wsdl; a test holds the two equal.
//
//go:embed brokerage.wsdl
var wsdl string

const space = "urn:middlemark:brokerage:1"

// Offer offers services and their description.
func Offer(mux *http.ServeMux, services brokerage.Services, log *slog.Logger) {
	operations := make(map[string]soap.Operation, len(messages.Operations))
	for name, operation := range messages.Operations {
		operations[name] = soap.Operation{
			NewRequest: operation.NewRequest,
			Perform: func(ctx context.Context, request any) (any, error) {
				return operation.Perform(ctx, services, request)
			},
		}
	}
	soap.Offer(mux, soap.Contract{Space: space, WSDL: wsdl, Operations: operations}, nil, log)
}

// NewClient calls the services at url (http://host:port).
func NewClient(url string, client *http.Client) *messages.Client {
	return messages.NewClient(soap.Caller{Space: space, IsKnown: httpstatus.IsKnown, Send: soap.OverHTTP(url, client, nil)}.Call)
}
