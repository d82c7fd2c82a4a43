// Package soap is the SOAP 1.1 binding (specs/brokerage/brokerage.wsdl): Handler offers services, NewClient calls them.
package soap

import (
	"errors"
	"log/slog"
	"net/http"
	"strings"

	"middlemark/brokerage"
	"middlemark/brokerage/exchange"
	"middlemark/brokerage/messages"
)

// Path is where all operations live.
const Path = "/services/soap"

// Handler offers services at Path.
func Handler(services brokerage.Services, log *slog.Logger) http.Handler {
	operations := messages.Operations(services)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch {
		case r.Method == http.MethodPost:
			answer(w, r, operations, log)
		case r.Method == http.MethodGet && strings.EqualFold(r.URL.RawQuery, "wsdl"):
			write(w, http.StatusOK, description(r))
		default:
			w.Header().Set("Allow", "GET, POST")
			w.WriteHeader(http.StatusMethodNotAllowed)
		}
	})
}

func answer(w http.ResponseWriter, r *http.Request, operations map[string]messages.Operation, log *slog.Logger) {
	name, message, err := perform(operations, r)
	if err == nil {
		write(w, http.StatusOK, encode(name+"Response", message))
		return
	}
	var header notUnderstood
	if errors.As(err, &header) {
		refusal := brokerage.Refuse(brokerage.InvalidInput, "The header %s is not understood.", header.name)
		write(w, http.StatusInternalServerError, fault(faultOfUnderstand, refusal))
		return
	}
	refusal, faultcode := brokerage.AsRefusal(err), faultOfClient
	switch refusal.Code {
	case brokerage.Internal:
		log.Error("operation failed", "operation", name, "error", err)
		faultcode = faultOfServer
	case brokerage.Unavailable:
		faultcode = faultOfServer
	}
	write(w, http.StatusInternalServerError, fault(faultcode, refusal))
}

// perform is the operation asked for, by the name of the element in the body, and its answer.
func perform(operations map[string]messages.Operation, r *http.Request) (string, any, error) {
	body, complete := exchange.ReadRequest(r)
	if !complete {
		return "", nil, notOneEnvelope()
	}
	request, err := payload(body)
	if errors.Is(err, errNoEnvelope) {
		return "", nil, notOneEnvelope()
	}
	if err != nil {
		return "", nil, err
	}
	name := request.name.Local
	perform, found := operations[name]
	if !found || request.name.Space != operationSpace {
		return name, nil, brokerage.Refuse(brokerage.UnknownOperation, "There is no operation %s.", name)
	}
	message, err := perform(r.Context(), func(message any) error { return decode(request, message) })
	return name, message, err
}

func notOneEnvelope() error {
	return brokerage.Refuse(brokerage.InvalidInput, "The request must be one SOAP envelope.")
}

func write(w http.ResponseWriter, status int, body []byte) {
	w.Header().Set("Content-Type", contentType)
	w.WriteHeader(status)
	_, _ = w.Write(body) // a client that has gone needs no answer
}
