// Package soap is SOAP 1.1, document/literal: Offer offers operations, Call calls one elsewhere.
package soap

import (
	"context"
	"encoding/xml"
	"html"
	"io"
	"log/slog"
	"net/http"
	"strings"

	"middlemark/refusals"
)

// Path is where all operations live.
const Path = "/services/soap"

// WrittenAddress is the one address in a specification's WSDL.
const WrittenAddress = "http://127.0.0.1:8080" + Path

// Operation is a kind of request and the function that answers it.
type Operation struct {
	NewRequest func() any // a pointer to an empty one
	Perform    func(ctx context.Context, request any) (any, error)
}

// Contract is the operations of a specification.
type Contract struct {
	Space      string // XML name space
	WSDL       string
	Operations map[string]Operation
}

// Offer offers the operations and their description. Each request is admitted first, unless admit is nil.
func Offer(mux *http.ServeMux, contract Contract, admit func(*http.Request) error, log *slog.Logger) {
	mux.HandleFunc("GET "+Path, contract.describe)
	mux.HandleFunc("POST "+Path, func(w http.ResponseWriter, r *http.Request) {
		answered := contract.admitted(r, admit, log)
		w.Header().Set("Content-Type", contentType)
		w.WriteHeader(answered.status())
		_ = answered.Write(w) // a client that has gone needs no answer
	})
}

func (c Contract) admitted(r *http.Request, admit func(*http.Request) error, log *slog.Logger) Answer {
	if admit != nil {
		if err := admit(r); err != nil {
			return Refused(refusals.Of(err))
		}
	}
	return c.Answer(r.Context(), r.Body, log)
}

// Answer is the message that answers an envelope.
type Answer struct {
	name    xml.Name
	message any
}

// Answer performs the operation that an envelope asks for.
func (c Contract) Answer(ctx context.Context, envelope io.Reader, log *slog.Logger) Answer {
	request, err := read(envelope, c.requestOf)
	if err != nil {
		return Refused(refusals.Malformed(err))
	}
	if request.mustUnderstand() {
		refusal := refusals.New(refusals.InvalidInput, "A header is not understood.")
		return faulty(fault{faultOfUnderstand, refusal.Message, refusal.Code})
	}
	operation := request.Body.Payload.name
	answer, err := c.Operations[operation].Perform(ctx, request.Body.Payload.message)
	if err == nil {
		return Answer{name: xml.Name{Space: c.Space, Local: operation + "Response"}, message: answer}
	}
	refusal := refusals.Of(err)
	if refusal.Code == refusals.Internal {
		log.Error("operation failed", "operation", operation, "error", err)
	}
	return Refused(refusal)
}

// Write writes the envelope.
func (a Answer) Write(to io.Writer) error { return write(to, a.name, a.message) }

func (a Answer) status() int {
	if _, refused := a.message.(fault); refused {
		return http.StatusInternalServerError
	}
	return http.StatusOK
}

// describe answers the WSDL with the address under which it was asked for.
func (c Contract) describe(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Content-Type", contentType)
	address := html.EscapeString("http://" + r.Host + Path)
	_, _ = io.WriteString(w, strings.Replace(c.WSDL, WrittenAddress, address, 1)) // a client that has gone needs none
}

// requestOf answers a pointer to the request of an operation, nil when there is no such operation.
func (c Contract) requestOf(name xml.Name) any {
	operation, found := c.Operations[name.Local]
	if !found || name.Space != c.Space {
		return nil
	}
	return operation.NewRequest()
}

func faultcodeOf(refusal *refusals.Refusal) string {
	if refusal.Code.BlamesServer() {
		return faultOfServer
	}
	return faultOfClient
}

// Refused is the message that tells a refusal.
func Refused(refusal *refusals.Refusal) Answer {
	return faulty(fault{faultcodeOf(refusal), refusal.Message, refusal.Code})
}

func faulty(message fault) Answer {
	return Answer{name: xml.Name{Local: "soap:Fault"}, message: message}
}
