package soap

import (
	"context"
	"encoding/xml"
	"fmt"
	"net/http"
	"strings"

	"middlemark/brokerage/exchange"
	"middlemark/brokerage/messages"
)

// NewClient calls the services at url (http://host:port) over transport.
func NewClient(url string, transport http.RoundTripper) *messages.Client {
	address := strings.TrimSuffix(url, "/") + Path
	return messages.NewClient(func(ctx context.Context, operation string, request, answer any) error {
		header := http.Header{"Content-Type": {contentType}, "Soapaction": {`"` + operation + `"`}}
		status, body, err := exchange.Post(ctx, transport, address, header, encode(operation, request))
		if err != nil {
			return err
		}
		found, err := payload(body)
		if err != nil {
			return exchange.Broken(operation, fmt.Errorf("status %d: %w", status, err))
		}
		switch status {
		case http.StatusOK:
			err = decodeAnswer(operation, found, answer)
		case http.StatusInternalServerError:
			refusal, wrong := refusalIn(found)
			if wrong == nil {
				return refusal
			}
			err = wrong
		default:
			err = fmt.Errorf("status %d", status)
		}
		if err != nil {
			return exchange.Broken(operation, err)
		}
		return nil
	})
}

func decodeAnswer(operation string, found *element, answer any) error {
	if found.name != (xml.Name{Space: operationSpace, Local: operation + "Response"}) {
		return fmt.Errorf("%s instead of %sResponse", found.name.Local, operation)
	}
	return decode(found, answer)
}
