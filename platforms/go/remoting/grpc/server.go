// Package grpc is `grpc`: the service Remoting of specs/remoting/remoting.proto.
package grpc

import (
	"context"
	"log/slog"
	"net"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/peer"
	"google.golang.org/grpc/tap"
	"google.golang.org/protobuf/proto"

	"middlemark/remoting"
	"middlemark/remoting/access"
	"middlemark/remoting/messages"
	"middlemark/remoting/protobuf"
	"middlemark/remoting/wire"
)

// NewServer offers a service to admitted callers; identity is nil for connections without encryption.
func NewServer(service remoting.Service, guard *access.Guard, identity *access.Identity, log *slog.Logger) *grpc.Server {
	o := &offer{desk: messages.Desk{Service: service, Log: log}, guard: guard}
	options := []grpc.ServerOption{grpc.UnaryInterceptor(o.admit), grpc.InTapHandle(limited)}
	if identity != nil {
		options = append(options, grpc.Creds(identified{credentials.NewTLS(identity.Server())}))
	}
	server := grpc.NewServer(options...)
	wire.RegisterRemotingServer(server, o)
	return server
}

// limited ends a call whose request does not arrive. It begins with the header; an interceptor would begin with the request.
func limited(ctx context.Context, _ *tap.Info) (context.Context, error) {
	if end, named := ctx.Deadline(); named && time.Until(end) <= messages.CallLimit {
		return ctx, nil
	}
	ending, stop := context.WithTimeout(ctx, messages.CallLimit)
	context.AfterFunc(ctx, stop)
	return ending, nil
}

// identified reads the certificate of a connection once, after its handshake.
type identified struct {
	credentials.TransportCredentials
}

// identity is the caller of a connection.
type identity struct {
	credentials.AuthInfo
	caller *access.Caller
}

// ServerHandshake implements credentials.TransportCredentials.
func (i identified) ServerHandshake(connection net.Conn) (net.Conn, credentials.AuthInfo, error) {
	encrypted, info, err := i.TransportCredentials.ServerHandshake(connection)
	if err != nil {
		return nil, nil, err
	}
	known := identity{AuthInfo: info}
	if secured, is := info.(credentials.TLSInfo); is {
		known.caller = access.CallerOf(&secured.State)
	}
	return encrypted, known, nil
}

// Clone implements credentials.TransportCredentials.
func (i identified) Clone() credentials.TransportCredentials {
	return identified{i.TransportCredentials.Clone()}
}

// offer answers the calls.
type offer struct {
	wire.UnimplementedRemotingServer
	desk  messages.Desk
	guard *access.Guard
}

// admit lets a call through, or refuses it.
func (o *offer) admit(ctx context.Context, request any, _ *grpc.UnaryServerInfo, perform grpc.UnaryHandler) (any, error) {
	var authorization string
	if sent := metadata.ValueFromIncomingContext(ctx, "authorization"); len(sent) > 0 {
		authorization = sent[0]
	}
	var caller *access.Caller
	if from, has := peer.FromContext(ctx); has {
		if known, is := from.AuthInfo.(identity); is {
			caller = known.caller
		}
	}
	if err := o.guard.Admit(authorization, caller); err != nil {
		return nil, toStatus(o.desk.Refusal("", err))
	}
	return perform(ctx, request)
}

// perform answers one call by the operation of that name.
func perform[Answer proto.Message](ctx context.Context, o *offer, operation string, request proto.Message) (none Answer, err error) {
	answer, refusal := o.desk.Perform(ctx, operation, func(target any) error { return protobuf.FromWire(request, target) })
	if refusal != nil {
		return none, toStatus(refusal)
	}
	sent, err := protobuf.ToWire(answer)
	if err != nil {
		return none, toStatus(o.desk.Refusal(operation, err))
	}
	return sent.(Answer), nil
}

func (o *offer) Ping(ctx context.Context, request *wire.Nothing) (*wire.Nothing, error) {
	return perform[*wire.Nothing](ctx, o, "ping", request)
}

func (o *offer) StoreOrder(ctx context.Context, request *wire.Order) (*wire.OrderId, error) {
	return perform[*wire.OrderId](ctx, o, "storeOrder", request)
}

func (o *offer) StoreOrderTables(ctx context.Context, request *wire.TableSet) (*wire.OrderId, error) {
	return perform[*wire.OrderId](ctx, o, "storeOrderTables", request)
}

func (o *offer) LoadProducts(ctx context.Context, request *wire.Nothing) (*wire.Products, error) {
	return perform[*wire.Products](ctx, o, "loadProducts", request)
}

func (o *offer) LoadProductsTables(ctx context.Context, request *wire.Nothing) (*wire.TableSet, error) {
	return perform[*wire.TableSet](ctx, o, "loadProductsTables", request)
}

func (o *offer) LoadProductsConverted(ctx context.Context, request *wire.Nothing) (*wire.Products, error) {
	return perform[*wire.Products](ctx, o, "loadProductsConverted", request)
}

func (o *offer) LoadCustomer(ctx context.Context, request *wire.CustomerId) (*wire.FoundCustomer, error) {
	return perform[*wire.FoundCustomer](ctx, o, "loadCustomer", request)
}

func (o *offer) LoadCustomerTables(ctx context.Context, request *wire.CustomerId) (*wire.TableSet, error) {
	return perform[*wire.TableSet](ctx, o, "loadCustomerTables", request)
}
