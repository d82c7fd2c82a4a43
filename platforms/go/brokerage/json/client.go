package json

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"

	"middlemark/brokerage"
	"middlemark/brokerage/exchange"
	"middlemark/brokerage/httpstatus"
	"middlemark/brokerage/messages"
)

// NewClient calls the services at url (http://host:port) over transport.
func NewClient(url string, transport http.RoundTripper) *messages.Client {
	address := strings.TrimSuffix(url, "/") + Path
	return messages.NewClient(func(ctx context.Context, operation string, request, answer any) error {
		body, err := json.Marshal(request)
		if err != nil {
			return err
		}
		header := http.Header{"Content-Type": {"application/json"}}
		status, body, err := exchange.Post(ctx, transport, address+operation, header, body)
		if err != nil {
			return err
		}
		if status != http.StatusOK {
			return refusalIn(operation, status, body)
		}
		if err := decode(body, answer); err != nil {
			return exchange.Broken(operation, err)
		}
		return nil
	})
}

// refusalIn reads the problem; whoever answers anything else is not the services.
func refusalIn(operation string, status int, body []byte) error {
	var problem problemMessage
	if err := decode(body, &problem); err != nil {
		return exchange.Broken(operation, fmt.Errorf("status %d without a problem: %w", status, err))
	}
	if !httpstatus.Known(problem.Code) || httpstatus.Of(problem.Code) != status {
		return exchange.Broken(operation, fmt.Errorf("status %d with the code %q", status, problem.Code))
	}
	return brokerage.Refuse(problem.Code, "%s", problem.Detail)
}
