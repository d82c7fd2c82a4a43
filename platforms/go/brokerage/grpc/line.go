package grpc

import (
	"context"
	"strings"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/backoff"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/metadata"

	"middlemark/brokerage/grpc/wire"
	"middlemark/exchange"
	"middlemark/refusals"
)

// ReconnectLimit is the longest pause between two attempts to reach services that were gone.
const ReconnectLimit = time.Second

// Client implements brokerage.Services by calling them elsewhere. Close ends it.
type Client struct {
	connection *grpc.ClientConn
	stub       wire.BrokerageClient
	calls      chan struct{} // one place for each call under way
}

// NewClient calls the services at address (http://host:port), with at most calls calls at once.
func NewClient(address string, calls int) (*Client, error) {
	reconnect := backoff.DefaultConfig
	reconnect.MaxDelay = ReconnectLimit
	connection, err := grpc.NewClient(strings.TrimPrefix(address, "http://"),
		grpc.WithTransportCredentials(insecure.NewCredentials()),
		grpc.WithConnectParams(grpc.ConnectParams{Backoff: reconnect, MinConnectTimeout: exchange.AnswerLimit}),
	)
	if err != nil {
		return nil, err
	}
	return &Client{connection: connection, stub: wire.NewBrokerageClient(connection), calls: make(chan struct{}, calls)}, nil
}

// Close ends the connection and the calls under way.
func (c *Client) Close() { _ = c.connection.Close() } // it fails only when it is closed already

// method is one of wire.BrokerageClient's.
type method[Request, Answer any] func(wire.BrokerageClient, context.Context, *Request, ...grpc.CallOption) (*Answer, error)

// call makes one call, which waits for its turn, and reads its answer.
func call[Request, Answer, Value any](
	ctx context.Context, c *Client, perform method[Request, Answer], request *Request, read func(*reading, *Answer) Value,
) (Value, error) {
	var none Value
	ctx, cancel := context.WithTimeout(ctx, exchange.AnswerLimit)
	defer cancel()
	select {
	case c.calls <- struct{}{}:
	case <-ctx.Done():
		return none, refusals.NotAvailable(ctx.Err())
	}
	defer func() { <-c.calls }()
	var trailing metadata.MD
	answer, err := perform(c.stub, ctx, request, grpc.Trailer(&trailing))
	if err != nil {
		return none, fromStatus(err, trailing)
	}
	var r reading
	value := read(&r, answer)
	if r.fault != nil {
		return none, exchange.Broken(r.fault)
	}
	return value, nil
}
