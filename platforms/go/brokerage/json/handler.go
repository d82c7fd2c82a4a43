// Package json is the JSON binding (specs/brokerage/openapi.yaml): Handler offers services, NewClient calls them.
package json

import (
	"encoding/json"
	"errors"
	"log/slog"
	"net/http"
	"strings"

	"middlemark/brokerage"
	"middlemark/brokerage/exchange"
	"middlemark/brokerage/httpstatus"
	"middlemark/brokerage/messages"
)

// Path is where the operations live; the operation's name follows.
const Path = "/services/json/"

// problemMessage is the answer to a request that was refused.
type problemMessage struct {
	Type   string         `json:"type"`
	Title  brokerage.Code `json:"title"`
	Status int            `json:"status"`
	Detail string         `json:"detail"`
	Code   brokerage.Code `json:"code"`
}

// Handler offers services under Path.
func Handler(services brokerage.Services, log *slog.Logger) http.Handler {
	operations := messages.Operations(services)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		answer, err := perform(operations, r)
		if err != nil {
			writeProblem(w, r, log, err)
			return
		}
		write(w, http.StatusOK, "application/json", answer)
	})
}

func perform(operations map[string]messages.Operation, r *http.Request) (any, error) {
	name := strings.TrimPrefix(r.URL.Path, Path)
	perform, found := operations[name]
	if !found || r.Method != http.MethodPost {
		return nil, brokerage.Refuse(brokerage.UnknownOperation, "There is no operation %s.", name)
	}
	body, complete := exchange.ReadRequest(r)
	if !complete {
		return nil, notOneObject()
	}
	return perform(r.Context(), func(message any) error {
		err := decode(body, message)
		if errors.Is(err, errNoObject) {
			return notOneObject()
		}
		return err
	})
}

func notOneObject() error {
	return brokerage.Refuse(brokerage.InvalidInput, "The request must be one JSON object.")
}

func writeProblem(w http.ResponseWriter, r *http.Request, log *slog.Logger, err error) {
	refusal := brokerage.AsRefusal(err)
	if refusal.Code == brokerage.Internal {
		log.Error("operation failed", "path", r.URL.Path, "error", err)
	}
	status := httpstatus.Of(refusal.Code)
	write(w, status, "application/problem+json", problemMessage{
		Type: "about:blank", Title: refusal.Code, Status: status, Detail: refusal.Message, Code: refusal.Code,
	})
}

func write(w http.ResponseWriter, status int, contentType string, message any) {
	body, err := json.Marshal(message)
	if err != nil { // our own messages always can be written
		panic(err)
	}
	w.Header().Set("Content-Type", contentType)
	w.WriteHeader(status)
	_, _ = w.Write(body) // a client that has gone needs no answer
}
