package grpc

import (
	"context"
	"net"
	"net/url"
	"strings"
	"sync/atomic"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/backoff"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/metadata"

	"middlemark/brokerage"
	"middlemark/brokerage/exchange"
	"middlemark/brokerage/grpc/wire"
)

const (
	// Connections is over how many connections the calls are spread, unless fewer calls are allowed: one connection is
	// read and written by one goroutine each.
	Connections = 4
	// ReconnectLimit is the longest pause between two attempts to reach services that were gone.
	ReconnectLimit = time.Second

	firstReconnect = 50 * time.Millisecond
)

// Client implements brokerage.Services by calling them elsewhere. Close ends it.
type Client struct {
	connections []*grpc.ClientConn
	stubs       []wire.BrokerageClient
	calls       chan struct{} // one place for each call under way
	next        atomic.Uint64
}

// NewClient calls the services at address (http://host:port), with at most calls calls at once.
func NewClient(address string, calls int) *Client {
	c := &Client{calls: make(chan struct{}, calls)}
	for range min(Connections, calls) {
		connection, err := grpc.NewClient(target(address),
			grpc.WithTransportCredentials(insecure.NewCredentials()),
			grpc.WithNoProxy(),
			grpc.WithDisableRetry(), // nothing is done twice
			grpc.WithDisableServiceConfig(),
			grpc.WithConnectParams(grpc.ConnectParams{
				Backoff:           backoff.Config{BaseDelay: firstReconnect, Multiplier: 2, Jitter: 0.2, MaxDelay: ReconnectLimit},
				MinConnectTimeout: exchange.AnswerLimit,
			}),
			grpc.WithDefaultCallOptions(grpc.MaxCallRecvMsgSize(exchange.MaxAnswer)),
		)
		if err != nil { // only an option or a target of another form could be refused
			panic(err)
		}
		c.connections = append(c.connections, connection)
		c.stubs = append(c.stubs, wire.NewBrokerageClient(connection))
	}
	return c
}

// target lets the dialer look up the name, at every attempt anew, as it does for HTTP.
func target(address string) string {
	found := url.URL{Scheme: "passthrough", Path: "/" + strings.TrimPrefix(address, "http://")}
	if u, err := url.Parse(address); err == nil {
		port := u.Port()
		if port == "" {
			port = "80"
		}
		found.Path = "/" + net.JoinHostPort(u.Hostname(), port)
	}
	return found.String()
}

// Close ends the connections and the calls under way.
func (c *Client) Close() {
	for _, connection := range c.connections {
		_ = connection.Close() // it fails only when it is closed already
	}
}

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
		return none, brokerage.NotAvailable(ctx.Err())
	}
	defer func() { <-c.calls }()
	stub := c.stubs[c.next.Add(1)%uint64(len(c.stubs))]
	var trailing metadata.MD
	answer, err := perform(stub, ctx, request, grpc.Trailer(&trailing))
	if err != nil {
		return none, fromStatus(err, trailing)
	}
	var r reading
	value := read(&r, answer)
	if r.fault != nil {
		return none, exchange.Broken(overGRPC, r.fault)
	}
	return value, nil
}
