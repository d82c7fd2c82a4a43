package soap

import (
	"bytes"
	"context"
	"encoding/xml"
	"errors"
	"maps"
	"net/http"

	"middlemark/exchange"
	"middlemark/refusals"
)

// ErrBlamed is an answer that blames the request without a code: a fault with the faultcode Client, or a status of HTTP
// without an envelope. It is wrapped in `unavailable`, so that only callers that look for it tell it from no answer.
var ErrBlamed = errors.New("the request is refused without a code")

// Send sends the envelope of an operation and reads the one that answers it. Where no HTTP carries them, the status is 0.
type Send func(ctx context.Context, operation string, envelope []byte) (status int, answered []byte, err error)

// OverHTTP sends to url (http://host:port), with more headers than SOAP's.
func OverHTTP(url string, client *http.Client, more http.Header) Send {
	return func(ctx context.Context, operation string, envelope []byte) (int, []byte, error) {
		header := http.Header{"Content-Type": {contentType}, "Soapaction": {`"` + operation + `"`}}
		maps.Copy(header, more)
		return exchange.Post(ctx, client, url+Path, header, envelope)
	}
}

// Caller calls the operations of a name space.
type Caller struct {
	Space   string
	IsKnown func(refusals.Code) bool // whether the specification has a code
	Send    Send
}

// Call calls one operation and reads its answer.
func (c Caller) Call(ctx context.Context, operation string, request, answer any) error {
	var body bytes.Buffer
	if err := write(&body, xml.Name{Space: c.Space, Local: operation}, request); err != nil {
		return err
	}
	status, answered, err := c.Send(ctx, operation, body.Bytes())
	if err != nil {
		return err
	}
	var refused fault
	sent, err := read(bytes.NewReader(answered), func(name xml.Name) any {
		switch name {
		case xml.Name{Space: c.Space, Local: operation + "Response"}:
			return answer
		case xml.Name{Space: envelopeSpace, Local: "Fault"}:
			return &refused
		}
		return nil
	})
	switch {
	case err != nil && exchange.Blames(status):
		return refusals.NotAvailable(ErrBlamed)
	case err != nil:
		return exchange.Broken(err)
	case sent.Body.Payload.message == &refused && refused.blames():
		return refusals.NotAvailable(ErrBlamed)
	case sent.Body.Payload.message == &refused:
		return exchange.Refused(refused.Code, refused.Message, c.IsKnown)
	}
	return nil
}
