package grpc

import (
	"context"
	"fmt"
	"log/slog"
	"runtime/debug"

	"google.golang.org/grpc"

	"middlemark/brokerage"
	"middlemark/brokerage/grpc/wire"
	"middlemark/refusals"
)

// NewServer offers services; whoever starts it stops it.
func NewServer(services brokerage.Services, log *slog.Logger) *grpc.Server {
	server := grpc.NewServer(grpc.UnaryInterceptor(desk{log}.answer))
	wire.RegisterBrokerageServer(server, &offer{services: services})
	return server
}

// desk stands between every call and its operation.
type desk struct {
	log *slog.Logger
}

// answer gives every error the form of a refusal, also when the operation panics.
func (d desk) answer(ctx context.Context, request any, info *grpc.UnaryServerInfo, perform grpc.UnaryHandler) (any, error) {
	answer, err := surviving(ctx, request, perform)
	if err == nil {
		return answer, nil
	}
	refusal := refusals.Of(err)
	if refusal.Code == refusals.Internal {
		d.log.Error("operation failed", "operation", info.FullMethod, "error", err)
	}
	trailing, told := toStatus(refusal)
	_ = grpc.SetTrailer(ctx, trailing) // it fails only outside a call
	return nil, told
}

func surviving(ctx context.Context, request any, perform grpc.UnaryHandler) (answer any, err error) {
	defer func() {
		if reason := recover(); reason != nil {
			err = fmt.Errorf("panic: %v\n%s", reason, debug.Stack())
		}
	}()
	return perform(ctx, request)
}
