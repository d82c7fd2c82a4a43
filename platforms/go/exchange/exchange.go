// Package exchange is what a call of another tier has over HTTP: its limits and its failures.
package exchange

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"time"

	"middlemark/refusals"
)

const (
	// AnswerLimit is how long the web tier waits. It is longer than the services give their database, so that their own
	// refusal arrives.
	AnswerLimit = 15 * time.Second
	// IdleLimit is how long an unused HTTP connection to the services is kept: shorter than their server would keep it.
	IdleLimit = 60 * time.Second
)

// NewClient makes at most calls calls at the same time, over connections that stay open. It goes nowhere else than it was
// told to, so that an order is not sent twice.
func NewClient(calls int) *http.Client {
	return &http.Client{
		Transport:     &http.Transport{MaxConnsPerHost: calls, MaxIdleConnsPerHost: calls, IdleConnTimeout: IdleLimit},
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
		Timeout:       AnswerLimit,
	}
}

// Post sends one request and reads the status and the body of its answer; no answer in time is `unavailable`.
func Post(ctx context.Context, client *http.Client, url string, header http.Header, body []byte) (int, []byte, error) {
	post, err := http.NewRequestWithContext(ctx, http.MethodPost, url, bytes.NewReader(body))
	if err != nil {
		return 0, nil, err
	}
	post.Header = header
	response, err := client.Do(post)
	if err != nil {
		return 0, nil, refusals.NotAvailable(err)
	}
	defer func() { _ = response.Body.Close() }() // it has been read
	answer, err := io.ReadAll(response.Body)
	if err != nil {
		return 0, nil, refusals.NotAvailable(err)
	}
	return response.StatusCode, answer, nil
}

// Refused is the refusal that the other tier has sent; one with a code that is not among the known is no answer.
func Refused(code refusals.Code, message string, isKnown func(refusals.Code) bool) error {
	if !isKnown(code) {
		return Broken(fmt.Errorf("refused with the code %q", code))
	}
	return refusals.New(code, "%s", message)
}

// Blames reports whether a status alone blames the request: a server cannot read it, or has a limit of its own.
func Blames(status int) bool {
	return status == http.StatusBadRequest || status == http.StatusRequestEntityTooLarge
}

// Broken says that an answer cannot be read, so that it is none. The reason is kept as text alone: a refusal in it is not
// the other tier's.
func Broken(reason error) error {
	return refusals.NotAvailable(errors.New(reason.Error()))
}
