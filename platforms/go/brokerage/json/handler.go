package json

import (
	"context"
	"encoding/json"
	"io"
	"log/slog"
	"net/http"
	"strings"

	"middlemark/brokerage"
	"middlemark/brokerage/httpstatus"
)

// maxRequest bounds the memory that a request can take; the longest valid one is far below.
const maxRequest = 64 << 10

type operation func(ctx context.Context, body []byte) (any, error)

// Handler offers services under Path.
func Handler(services brokerage.Services, log *slog.Logger) http.Handler {
	operations := offered(services)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		answer, err := perform(operations, r)
		if err != nil {
			writeProblem(w, r, log, err)
			return
		}
		write(w, http.StatusOK, "application/json", answer)
	})
}

func perform(operations map[string]operation, r *http.Request) (any, error) {
	name := strings.TrimPrefix(r.URL.Path, Path)
	perform, found := operations[name]
	if !found || r.Method != http.MethodPost {
		return nil, brokerage.Refuse(brokerage.UnknownOperation, "There is no operation %s.", name)
	}
	body, err := io.ReadAll(io.LimitReader(r.Body, maxRequest+1))
	if err != nil || len(body) > maxRequest {
		return nil, notOneObject()
	}
	return perform(r.Context(), body)
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

// with makes an operation of a function from one message to another.
func with[Request, Answer any](perform func(context.Context, Request) (Answer, error)) operation {
	return func(ctx context.Context, body []byte) (any, error) {
		request, err := decode[Request](body)
		if err != nil {
			return nil, err
		}
		return perform(ctx, request)
	}
}
