// Package overhttp is the common part of the protocols over HTTP: one POST for a call, refusals, limits of requests.
package overhttp

import (
	"context"
	"encoding/json"
	"io"
	"net/http"
	"time"

	"middlemark/exchange"
	"middlemark/refusals"
	"middlemark/remoting"
	"middlemark/remoting/access"
	"middlemark/remoting/frames"
	"middlemark/remoting/messages"
)

// requestLimit is how long a request may take from its header to its last byte.
const requestLimit = 10 * time.Second

var statuses = map[refusals.Code]int{
	refusals.InvalidInput:    http.StatusBadRequest,
	remoting.Unauthenticated: http.StatusUnauthorized,
	remoting.Forbidden:       http.StatusForbidden,
	refusals.Unavailable:     http.StatusServiceUnavailable,
	refusals.Internal:        http.StatusInternalServerError,
}

// problem is the answer to a request that was refused.
type problem struct {
	Code    refusals.Code `json:"code"`
	Message string        `json:"message"`
}

// Refuse answers a refusal.
func Refuse(w http.ResponseWriter, refusal *refusals.Refusal) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(statuses[refusal.Code])
	_ = json.NewEncoder(w).Encode(problem{refusal.Code, refusal.Message}) // a client that has gone needs no answer
}

// Limited gives each request as much time to arrive as a frame has, and as many bytes.
func Limited(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		// It fails only on a connection that has gone.
		_ = http.NewResponseController(w).SetReadDeadline(time.Now().Add(requestLimit))
		r.Body = http.MaxBytesReader(w, r.Body, frames.MaxFrame)
		next.ServeHTTP(w, r)
	})
}

// Form is how messages travel: one POST for a call, to the path of the operation.
type Form struct {
	Path        string // the operation's name follows
	ContentType string
	Encode      func(message any) ([]byte, error)
	Decode      func(data []byte, message any) error
}

// Offer offers all operations to admitted callers.
func (f Form) Offer(mux *http.ServeMux, desk messages.Desk, guard *access.Guard) {
	for operation := range messages.Operations {
		mux.HandleFunc("POST "+f.Path+operation, func(w http.ResponseWriter, r *http.Request) {
			answered, refusal := f.perform(desk, guard, operation, r)
			if refusal != nil {
				if challenge := guard.Challenge(); challenge != "" && refusal.Code == remoting.Unauthenticated {
					w.Header().Set("WWW-Authenticate", challenge)
				}
				Refuse(w, refusal)
				return
			}
			w.Header().Set("Content-Type", f.ContentType)
			_, _ = w.Write(answered) // a client that has gone needs no answer
		})
	}
}

func (f Form) perform(desk messages.Desk, guard *access.Guard, operation string, r *http.Request) ([]byte, *refusals.Refusal) {
	if err := guard.AdmitRequest(r); err != nil {
		return nil, desk.Refusal(operation, err)
	}
	answer, refusal := desk.Perform(r.Context(), operation, func(request any) error {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			return err
		}
		return f.Decode(body, request)
	})
	if refusal != nil {
		return nil, refusal
	}
	encoded, err := f.Encode(answer)
	if err != nil {
		return nil, desk.Refusal(operation, err)
	}
	return encoded, nil
}

// NewClient calls the service at url (http://host:port).
func (f Form) NewClient(url string, client *http.Client, authorization string) *messages.Client {
	header := http.Header{"Content-Type": {f.ContentType}}
	if authorization != "" {
		header.Set("Authorization", authorization)
	}
	return messages.NewClient(func(ctx context.Context, operation string, request, answer any) error {
		body, err := f.Encode(request)
		if err != nil {
			return refusals.Malformed(err)
		}
		status, answered, err := exchange.Post(ctx, client, url+f.Path+operation, header.Clone(), body)
		if err != nil {
			return err
		}
		if status != http.StatusOK {
			var refused problem
			err := json.Unmarshal(answered, &refused)
			switch {
			case refused.Code == "" && exchange.Blames(status):
				return messages.Unread()
			case err != nil:
				return exchange.Broken(err)
			}
			return messages.Refused(refused.Code, refused.Message)
		}
		if err := f.Decode(answered, answer); err != nil {
			return exchange.Broken(err)
		}
		return nil
	}, client.CloseIdleConnections)
}
