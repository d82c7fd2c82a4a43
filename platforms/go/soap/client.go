package soap

import (
	"bytes"
	"context"
	"encoding/xml"
	"net/http"

	"middlemark/exchange"
	"middlemark/refusals"
)

// Caller calls the operations of a name space at url (http://host:port).
type Caller struct {
	URL     string
	Space   string
	Client  *http.Client
	IsKnown func(refusals.Code) bool // whether the specification has a code
}

// Call calls one operation and reads its answer.
func (c Caller) Call(ctx context.Context, operation string, request, answer any) error {
	var body bytes.Buffer
	if err := write(&body, xml.Name{Space: c.Space, Local: operation}, request); err != nil {
		return err
	}
	header := http.Header{"Content-Type": {contentType}, "Soapaction": {`"` + operation + `"`}}
	_, answered, err := exchange.Post(ctx, c.Client, c.URL+Path, header, body.Bytes())
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
