// Package exchange is what one exchange between web tier and services has in every binding: its limits, and the HTTP half.
package exchange

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"time"

	"middlemark/brokerage"
)

const (
	// MaxRequest bounds the memory that a request can take; the longest valid one is far below (specs/brokerage/README.md).
	MaxRequest = 64 << 10
	// MaxAnswer bounds the memory of an answer far above the longest one, which lists a user's holdings: 150,000 of them.
	MaxAnswer = 64 << 20
	// AnswerLimit is how long the web tier waits. It is longer than the services give their database, so that their own
	// refusal arrives.
	AnswerLimit = 15 * time.Second
	// IdleLimit is how long an unused HTTP connection to the services is kept: shorter than their server would keep it.
	IdleLimit = 60 * time.Second
)

// NewTransport keeps at most connections connections to the services, and keeps them alive.
func NewTransport(connections int) *http.Transport {
	return &http.Transport{
		MaxConnsPerHost:     connections,
		MaxIdleConnsPerHost: connections,
		IdleConnTimeout:     IdleLimit,
		DisableCompression:  true,
	}
}

// Post sends one request and reads the status and the body of its answer; no answer in time is `unavailable`. net/http
// repeats a POST only when the connection ended before a byte of it was written, so nothing is ever done twice.
func Post(ctx context.Context, transport http.RoundTripper, url string, header http.Header, body []byte) (int, []byte, error) {
	ctx, cancel := context.WithTimeout(ctx, AnswerLimit)
	defer cancel()
	post, err := http.NewRequestWithContext(ctx, http.MethodPost, url, bytes.NewReader(body))
	if err != nil {
		return 0, nil, err
	}
	post.Header = header
	response, err := transport.RoundTrip(post)
	if err != nil {
		return 0, nil, brokerage.NotAvailable(err)
	}
	defer func() { _ = response.Body.Close() }()
	answer, err := io.ReadAll(io.LimitReader(response.Body, MaxAnswer+1))
	if err == nil && len(answer) > MaxAnswer {
		err = fmt.Errorf("the answer has more than %d bytes", MaxAnswer)
	}
	if err != nil {
		return 0, nil, brokerage.NotAvailable(err)
	}
	return response.StatusCode, answer, nil
}

// ReadRequest reads a request's body; false when it ends early or is longer than MaxRequest.
func ReadRequest(r *http.Request) ([]byte, bool) {
	body, err := io.ReadAll(io.LimitReader(r.Body, MaxRequest+1))
	return body, err == nil && len(body) <= MaxRequest
}

// Broken says that whoever answered did not keep to the description of the operation, so that the answer is none. The
// reason is kept as text alone: a refusal in it is not the answer's.
func Broken(operation string, reason error) error {
	return brokerage.NotAvailable(errors.New("answer to " + operation + ": " + reason.Error()))
}
