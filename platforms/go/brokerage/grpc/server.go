package grpc

import (
	"context"
	"fmt"
	"log/slog"
	"runtime/debug"
	"strings"
	"time"

	"google.golang.org/grpc"

	"middlemark/brokerage"
	"middlemark/brokerage/exchange"
	"middlemark/brokerage/grpc/wire"
)

// ConnectingLimit is how long a connection may take to become one of HTTP/2.
const ConnectingLimit = 10 * time.Second

// NewServer offers services; whoever starts it stops it.
func NewServer(services brokerage.Services, log *slog.Logger) *grpc.Server {
	d := desk{log}
	server := grpc.NewServer(
		grpc.MaxRecvMsgSize(exchange.MaxRequest),
		grpc.ConnectionTimeout(ConnectingLimit),
		grpc.UnaryInterceptor(d.answer),
		grpc.UnknownServiceHandler(d.refuseUnknown),
	)
	wire.RegisterBrokerageServer(server, &offer{services: services})
	return server
}

// desk stands between every call and its operation.
type desk struct {
	log *slog.Logger
}

// answer gives every error the form of a refusal, also when the operation panics.
func (d desk) answer(ctx context.Context, request any, info *grpc.UnaryServerInfo, perform grpc.UnaryHandler) (answer any, err error) {
	defer func() {
		if reason := recover(); reason != nil {
			err = fmt.Errorf("panic: %v\n%s", reason, debug.Stack())
		}
		if err == nil {
			return
		}
		refusal := brokerage.AsRefusal(err)
		if refusal.Code == brokerage.Internal {
			d.log.Error("operation failed", "operation", info.FullMethod, "error", err)
		}
		trailing, told := toStatus(refusal)
		_ = grpc.SetTrailer(ctx, trailing) // it fails only outside a call
		answer, err = nil, told
	}()
	return perform(ctx, request)
}

// refuseUnknown answers what is no operation.
func (d desk) refuseUnknown(_ any, stream grpc.ServerStream) error {
	method, _ := grpc.MethodFromServerStream(stream) // empty when there is none, which is no operation either
	refusal := brokerage.Refuse(brokerage.UnknownOperation, "There is no operation %s.", method[strings.LastIndex(method, "/")+1:])
	trailing, told := toStatus(refusal)
	stream.SetTrailer(trailing)
	return told
}
