package json

import (
	"context"
	"encoding/json"
	"net/http"

	"middlemark/brokerage/httpstatus"
	"middlemark/brokerage/messages"
	"middlemark/exchange"
)

// NewClient calls the services at url (http://host:port).
func NewClient(url string, client *http.Client) *messages.Client {
	return messages.NewClient(func(ctx context.Context, operation string, request, answer any) error {
		body, err := json.Marshal(request)
		if err != nil {
			return err
		}
		header := http.Header{"Content-Type": {"application/json"}}
		status, body, err := exchange.Post(ctx, client, url+path+operation, header, body)
		if err != nil {
			return err
		}
		if status != http.StatusOK {
			var refused problem
			if err := json.Unmarshal(body, &refused); err != nil {
				return exchange.Broken(err)
			}
			return exchange.Refused(refused.Code, refused.Detail, httpstatus.IsKnown)
		}
		if err := json.Unmarshal(body, answer); err != nil {
			return exchange.Broken(err)
		}
		return nil
	})
}
