// Package soap is the SOAP 1.1 binding (specs/brokerage/brokerage.wsdl): Offer offers services, NewClient calls them.
package soap

import (
	"encoding/xml"
	"log/slog"
	"net/http"

	"middlemark/brokerage"
	"middlemark/brokerage/httpstatus"
	"middlemark/brokerage/messages"
)

// path is where all operations live.
const path = "/services/soap"

// Offer offers services and their description.
func Offer(mux *http.ServeMux, services brokerage.Services, log *slog.Logger) {
	mux.HandleFunc("GET "+path, describe)
	mux.HandleFunc("POST "+path, func(w http.ResponseWriter, r *http.Request) {
		request, err := read(r.Body, requestOf)
		if err != nil {
			refuse(w, faultOfClient, brokerage.Malformed(err))
			return
		}
		if request.mustUnderstand() {
			refuse(w, faultOfUnderstand, brokerage.Refuse(brokerage.InvalidInput, "A header is not understood."))
			return
		}
		operation := request.Body.Payload.name
		answer, err := messages.Operations[operation].Perform(r.Context(), services, request.Body.Payload.message)
		if err == nil {
			respond(w, http.StatusOK, xml.Name{Space: operationSpace, Local: operation + "Response"}, answer)
			return
		}
		refusal := brokerage.AsRefusal(err)
		if refusal.Code == brokerage.Internal {
			log.Error("operation failed", "operation", operation, "error", err)
		}
		refuse(w, faultcodeOf(refusal), refusal)
	})
}

// requestOf answers a pointer to the request of an operation, nil when there is no such operation.
func requestOf(name xml.Name) any {
	operation, found := messages.Operations[name.Local]
	if !found || name.Space != operationSpace {
		return nil
	}
	return operation.NewRequest()
}

func faultcodeOf(refusal *brokerage.Refusal) string {
	if httpstatus.Of(refusal.Code) >= http.StatusInternalServerError {
		return faultOfServer
	}
	return faultOfClient
}

func refuse(w http.ResponseWriter, faultcode string, refusal *brokerage.Refusal) {
	respond(w, http.StatusInternalServerError, xml.Name{Local: "soap:Fault"}, fault{faultcode, refusal.Message, refusal.Code})
}

func respond(w http.ResponseWriter, status int, name xml.Name, message any) {
	w.Header().Set("Content-Type", contentType)
	w.WriteHeader(status)
	_ = write(w, name, message) // a client that has gone needs no answer
}
