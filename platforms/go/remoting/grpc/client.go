package grpc

import (
	"context"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/backoff"
	"google.golang.org/grpc/credentials"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/metadata"
	"google.golang.org/protobuf/proto"

	"middlemark/exchange"
	"middlemark/refusals"
	"middlemark/remoting/access"
	"middlemark/remoting/messages"
	"middlemark/remoting/protobuf"
	"middlemark/remoting/wire"
)

// ReconnectLimit is the longest pause between attempts to connect: a service that is back is found soon.
const ReconnectLimit = time.Second

// caller makes calls over a connection that it keeps or makes for each.
type caller struct {
	open  func() (*grpc.ClientConn, error)
	keep  bool
	line  *grpc.ClientConn // nil: none is open
	shown metadata.MD
}

// NewClient calls the service at address (host:port).
func NewClient(address string, shown access.Credentials, keep bool) *messages.Client {
	security := insecure.NewCredentials()
	if shown.TLS != nil {
		security = credentials.NewTLS(shown.TLS)
	}
	c := &caller{keep: keep, open: func() (*grpc.ClientConn, error) {
		// The dialer resolves names, as in every other protocol.
		return grpc.NewClient("passthrough:///"+address, grpc.WithTransportCredentials(security), grpc.WithDisableRetry(),
			grpc.WithConnectParams(grpc.ConnectParams{
				Backoff:           backoff.Config{BaseDelay: ReconnectLimit / 10, Multiplier: 2, MaxDelay: ReconnectLimit},
				MinConnectTimeout: messages.CallLimit,
			}))
	}}
	if shown.Authorization != "" {
		c.shown = metadata.Pairs("authorization", shown.Authorization)
	}
	return messages.NewClient(c.exchange, c.close)
}

func (c *caller) exchange(ctx context.Context, operation string, request, answer any) (err error) {
	if c.line == nil {
		if c.line, err = c.open(); err != nil {
			return refusals.NotAvailable(err)
		}
	}
	if !c.keep {
		defer c.close()
	}
	if c.shown != nil {
		ctx = metadata.NewOutgoingContext(ctx, c.shown)
	}
	sent, err := protobuf.ToWire(request)
	if err != nil {
		return refusals.Malformed(err)
	}
	answered, err := operations[operation](ctx, wire.NewRemotingClient(c.line), sent)
	if err != nil {
		return fromStatus(err)
	}
	if err := protobuf.FromWire(answered, answer); err != nil {
		return exchange.Broken(err)
	}
	return nil
}

func (c *caller) close() {
	if c.line != nil {
		_ = c.line.Close() // nothing is under way
		c.line = nil
	}
}

type stub = wire.RemotingClient

// call calls by the stub's method of an operation.
type call func(ctx context.Context, on stub, request proto.Message) (proto.Message, error)

func calling[Request, Answer proto.Message](method func(stub, context.Context, Request, ...grpc.CallOption) (Answer, error)) call {
	return func(ctx context.Context, on stub, request proto.Message) (proto.Message, error) {
		return method(on, ctx, request.(Request))
	}
}

var operations = map[string]call{
	"ping":                  calling(stub.Ping),
	"storeOrder":            calling(stub.StoreOrder),
	"storeOrderTables":      calling(stub.StoreOrderTables),
	"loadProducts":          calling(stub.LoadProducts),
	"loadProductsTables":    calling(stub.LoadProductsTables),
	"loadProductsConverted": calling(stub.LoadProductsConverted),
	"loadCustomer":          calling(stub.LoadCustomer),
	"loadCustomerTables":    calling(stub.LoadCustomerTables),
}
