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

// Operation is a request that can be read, and what answers it.
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

// Offer offers the operations and their description.
func Offer(mux *http.ServeMux, contract Contract, log *slog.Logger) {
	mux.HandleFunc("GET "+Path, contract.describe)
	mux.HandleFunc("POST "+Path, func(w http.ResponseWriter, r *http.Request) {
		request, err := read(r.Body, contract.requestOf)
		if err != nil {
			refuse(w, faultOfClient, refusals.Malformed(err))
			return
		}
		if request.mustUnderstand() {
			refuse(w, faultOfUnderstand, refusals.New(refusals.InvalidInput, "A header is not understood."))
			return
		}
		operation := request.Body.Payload.name
		answer, err := contract.Operations[operation].Perform(r.Context(), request.Body.Payload.message)
		if err == nil {
			respond(w, http.StatusOK, xml.Name{Space: contract.Space, Local: operation + "Response"}, answer)
			return
		}
		refusal := refusals.Of(err)
		if refusal.Code == refusals.Internal {
			log.Error("operation failed", "operation", operation, "error", err)
		}
		refuse(w, faultcodeOf(refusal), refusal)
	})
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

func refuse(w http.ResponseWriter, faultcode string, refusal *refusals.Refusal) {
	respond(w, http.StatusInternalServerError, xml.Name{Local: "soap:Fault"}, fault{faultcode, refusal.Message, refusal.Code})
}

func respond(w http.ResponseWriter, status int, name xml.Name, message any) {
	w.Header().Set("Content-Type", contentType)
	w.WriteHeader(status)
	_ = write(w, name, message) // a client that has gone needs no answer
}
