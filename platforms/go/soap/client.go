package soap

import (
	"bytes"
	"context"
	"encoding/xml"
	"maps"
	"net/http"

	"middlemark/exchange"
	"middlemark/refusals"
)

// Send sends the envelope of an operation and reads the one that answers it.
type Send func(ctx context.Context, operation string, envelope []byte) ([]byte, error)

// OverHTTP sends to url (http://host:port), with more headers than SOAP's.
func OverHTTP(url string, client *http.Client, more http.Header) Send {
	return func(ctx context.Context, operation string, envelope []byte) ([]byte, error) {
		header := http.Header{"Content-Type": {contentType}, "Soapaction": {`"` + operation + `"`}}
		maps.Copy(header, more)
		_, answered, err := exchange.Post(ctx, client, url+Path, header, envelope)
		return answered, err
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
	answered, err := c.Send(ctx, operation, body.Bytes())
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
	if err != nil {
		return exchange.Broken(err)
	}
	if sent.Body.Payload.message == &refused {
		return exchange.Refused(refused.Code, refused.Message, c.IsKnown)
	}
	return nil
}
