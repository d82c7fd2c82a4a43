package soap

import (
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"strings"

	"middlemark/refusals"
)

const (
	envelopeSpace = "http://schemas.xmlsoap.org/soap/envelope/"
	contentType   = "text/xml; charset=utf-8"

	opening = xml.Header + `<soap:Envelope xmlns:soap="` + envelopeSpace + `"><soap:Body>`
	closing = `</soap:Body></soap:Envelope>`
)

var errEmptyBody = errors.New("the body of the envelope is empty")

// envelope is a SOAP 1.1 message as it was sent.
type envelope struct {
	XMLName xml.Name `xml:"http://schemas.xmlsoap.org/soap/envelope/ Envelope"`
	Header  struct {
		Blocks []struct {
			MustUnderstand bool `xml:"http://schemas.xmlsoap.org/soap/envelope/ mustUnderstand,attr"`
		} `xml:",any"`
	} `xml:"http://schemas.xmlsoap.org/soap/envelope/ Header"`
	Body struct {
		Payload payload `xml:",any"`
	} `xml:"http://schemas.xmlsoap.org/soap/envelope/ Body"`
}

// payload is the element in a body: its name says which message it is.
type payload struct {
	messageOf func(name xml.Name) any // a pointer to the message of that name, nil when there is none
	name      string
	message   any
}

// UnmarshalXML reads the message that the element's name says.
func (p *payload) UnmarshalXML(decoder *xml.Decoder, start xml.StartElement) error {
	p.name, p.message = start.Name.Local, p.messageOf(start.Name)
	if p.message == nil {
		return fmt.Errorf("there is no message %s", start.Name.Local)
	}
	return decoder.DecodeElement(p.message, &start)
}

// read reads an envelope with a message.
func read(from io.Reader, messageOf func(name xml.Name) any) (envelope, error) {
	var sent envelope
	sent.Body.Payload.messageOf = messageOf
	err := xml.NewDecoder(from).Decode(&sent)
	if err == nil && sent.Body.Payload.message == nil {
		err = errEmptyBody
	}
	return sent, err
}

// mustUnderstand says whether there is a header that must be understood; none is.
func (e *envelope) mustUnderstand() bool {
	for _, block := range e.Header.Blocks {
		if block.MustUnderstand {
			return true
		}
	}
	return false
}

// write writes an envelope with a message under its name.
func write(to io.Writer, name xml.Name, message any) error {
	if _, err := io.WriteString(to, opening); err != nil {
		return err
	}
	if err := xml.NewEncoder(to).EncodeElement(message, xml.StartElement{Name: name}); err != nil {
		return err
	}
	_, err := io.WriteString(to, closing)
	return err
}

// faultcodes of SOAP 1.1, section 4.4.1.
const (
	faultOfClient     = "soap:Client"
	faultOfServer     = "soap:Server"
	faultOfUnderstand = "soap:MustUnderstand"
)

// fault is the message that tells a refusal.
type fault struct {
	Faultcode string        `xml:"faultcode"`
	Message   string        `xml:"faultstring"`
	Code      refusals.Code `xml:"detail>code"`
}

// blames reports whether a fault without a code blames the request. The prefix of its faultcode may be any.
func (f *fault) blames() bool {
	return f.Code == "" && f.Faultcode[strings.IndexByte(f.Faultcode, ':')+1:] == "Client"
}
