package soap

import (
	"bytes"
	"encoding/xml"
	"errors"
	"fmt"

	"middlemark/brokerage"
	"middlemark/brokerage/httpstatus"
)

const (
	envelopeSpace  = "http://schemas.xmlsoap.org/soap/envelope/"
	operationSpace = "urn:middlemark:brokerage:1"

	contentType = "text/xml; charset=utf-8"

	opening = xml.Header + `<soap:Envelope xmlns:soap="` + envelopeSpace + `"><soap:Body>`
	closing = `</soap:Body></soap:Envelope>`
)

var errNoEnvelope = errors.New("not one SOAP envelope")

// notUnderstood names a header element that must be understood.
type notUnderstood struct{ name string }

func (e notUnderstood) Error() string { return "the header " + e.name + " is not understood" }

// payload is the one element in the body of a SOAP 1.1 envelope.
func payload(text []byte) (*element, error) {
	envelope, err := parse(text)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", errNoEnvelope, err)
	}
	body, found := envelope.only(xml.Name{Space: envelopeSpace, Local: "Body"})
	if envelope.name != (xml.Name{Space: envelopeSpace, Local: "Envelope"}) || !found || len(body.elements) != 1 {
		return nil, errNoEnvelope
	}
	for _, header := range envelope.named(xml.Name{Space: envelopeSpace, Local: "Header"}) {
		for _, block := range header.elements {
			if block.mustUnderstand {
				return nil, notUnderstood{block.name.Local}
			}
		}
	}
	return body.elements[0], nil
}

// faultcodes of SOAP 1.1, section 4.4.1.
const (
	faultOfClient     = "soap:Client"
	faultOfServer     = "soap:Server"
	faultOfUnderstand = "soap:MustUnderstand"
)

// fault is the body of an envelope that tells a refusal.
func fault(faultcode string, refusal *brokerage.Refusal) []byte {
	var out bytes.Buffer
	out.WriteString(opening + `<soap:Fault><faultcode>` + faultcode + `</faultcode><faultstring>`)
	escape(&out, refusal.Message)
	out.WriteString(`</faultstring><detail><code>`)
	escape(&out, string(refusal.Code))
	out.WriteString(`</code></detail></soap:Fault>` + closing)
	return out.Bytes()
}

// refusalIn reads a fault; whoever answers anything else is not the services.
func refusalIn(found *element) (*brokerage.Refusal, error) {
	if found.name != (xml.Name{Space: envelopeSpace, Local: "Fault"}) {
		return nil, fmt.Errorf("%s instead of a fault", found.name.Local)
	}
	message, worded := found.only(xml.Name{Local: "faultstring"})
	detail, detailed := found.only(xml.Name{Local: "detail"})
	if !worded || !detailed {
		return nil, errors.New("a fault without message and detail")
	}
	told, coded := detail.only(xml.Name{Local: "code"})
	if !coded || !httpstatus.Known(brokerage.Code(told.text)) {
		return nil, errors.New("a fault without a code of the specification")
	}
	return brokerage.Refuse(brokerage.Code(told.text), "%s", message.text), nil
}
