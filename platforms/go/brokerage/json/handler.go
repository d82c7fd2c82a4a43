// Package json is the JSON binding (specs/brokerage/openapi.yaml): Offer offers services, NewClient calls them.
package json

import (
	"encoding/json"
	"io"
	"log/slog"
	"net/http"

	"middlemark/brokerage"
	"middlemark/brokerage/httpstatus"
	"middlemark/brokerage/messages"
	"middlemark/refusals"
)

// path is where the operations live; the operation's name follows.
const path = "/services/json/"

// problem is the answer to a request that was refused.
type problem struct {
	Status int           `json:"status"`
	Detail string        `json:"detail"`
	Code   refusals.Code `json:"code"`
}

// Offer offers services at their addresses.
func Offer(mux *http.ServeMux, services brokerage.Services, log *slog.Logger) {
	for name, operation := range messages.Operations {
		mux.HandleFunc("POST "+path+name, func(w http.ResponseWriter, r *http.Request) {
			answer, err := perform(services, operation, r)
			if err == nil {
				write(w, http.StatusOK, "application/json", answer)
				return
			}
			refusal := refusals.Of(err)
			if refusal.Code == refusals.Internal {
				log.Error("operation failed", "operation", name, "error", err)
			}
			status := httpstatus.Of(refusal.Code)
			write(w, status, "application/problem+json", problem{status, refusal.Message, refusal.Code})
		})
	}
}

func perform(services brokerage.Services, operation messages.Operation, r *http.Request) (any, error) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return nil, refusals.Malformed(err)
	}
	request := operation.NewRequest()
	if err := json.Unmarshal(body, request); err != nil {
		return nil, refusals.Malformed(err)
	}
	return operation.Perform(r.Context(), services, request)
}

func write(w http.ResponseWriter, status int, contentType string, message any) {
	w.Header().Set("Content-Type", contentType)
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(message) // a client that has gone needs no answer
}
