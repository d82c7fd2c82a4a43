package json

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"time"

	"middlemark/brokerage"
)

// Time-outs of the client. An answer may take longer than the services give their database, so that their own
// refusal arrives; idle connections end before the server would end them.
const (
	answerLimit = 15 * time.Second
	// IdleLimit is how long an unused connection to the services is kept.
	IdleLimit = 60 * time.Second

	// maxAnswer bounds the memory of an answer far above the longest one, which lists a user's holdings: 300,000 of them.
	maxAnswer = 64 << 20
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

// call sends one request and reads one answer. net/http repeats a POST only when the connection ended before a byte
// of it was written, so nothing is ever done twice.
func call[Answer any](ctx context.Context, c *Client, operation string, request any) (Answer, error) {
	var answer Answer
	body, err := json.Marshal(request)
	if err != nil {
		return answer, err
	}
	ctx, cancel := context.WithTimeout(ctx, answerLimit)
	defer cancel()
	post, err := http.NewRequestWithContext(ctx, http.MethodPost, c.address+operation, bytes.NewReader(body))
	if err != nil {
		return answer, err
	}
	post.Header.Set("Content-Type", "application/json")
	response, err := c.transport.RoundTrip(post)
	if err != nil {
		return answer, brokerage.NotAvailable(err)
	}
	defer func() { _ = response.Body.Close() }()
	body, err = io.ReadAll(io.LimitReader(response.Body, maxAnswer))
	if err != nil {
		return answer, brokerage.NotAvailable(err)
	}
	if response.StatusCode != http.StatusOK {
		return answer, refusalIn(response, body)
	}
	if err := json.Unmarshal(body, &answer); err != nil {
		return answer, fmt.Errorf("answer to %s: %w", operation, err)
	}
	return answer, nil
}

// refusalIn reads the problem; whoever answers anything else is not the services.
func refusalIn(response *http.Response, body []byte) error {
	var problem problemMessage
	if err := json.Unmarshal(body, &problem); err != nil || problem.Code == "" {
		return brokerage.NotAvailable(fmt.Errorf("answer %s without a problem", response.Status))
	}
	return brokerage.Refuse(problem.Code, "%s", problem.Detail)
}
