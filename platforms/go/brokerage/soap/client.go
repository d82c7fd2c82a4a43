package soap

import (
	"bytes"
	"context"
	"encoding/xml"
	"net/http"

	"middlemark/brokerage/exchange"
	"middlemark/brokerage/messages"
)

// NewClient calls the services at url (http://host:port).
func NewClient(url string, client *http.Client) *messages.Client {
	return messages.NewClient(func(ctx context.Context, operation string, request, answer any) error {
		var body bytes.Buffer
		if err := write(&body, xml.Name{Space: operationSpace, Local: operation}, request); err != nil {
			return err
		}
		header := http.Header{"Content-Type": {contentType}, "Soapaction": {`"` + operation + `"`}}
		_, answered, err := exchange.Post(ctx, client, url+path, header, body.Bytes())
		if err != nil {
			return err
		}
		var refused fault
		sent, err := read(bytes.NewReader(answered), func(name xml.Name) any {
			switch name {
			case xml.Name{Space: operationSpace, Local: operation + "Response"}:
				return answer
			case xml.Name{Space: envelopeSpace, Local: "Fault"}:
				return &refused
			}
			return nil
		})
		if err != nil {
			return exchange.Broken(err)
		}
		if sent.Body.Payload.message == &refused {
			return exchange.Refused(refused.Code, refused.Message)
		}
		return nil
	})
}
