package messages

import (
	"context"
	"fmt"
	"log/slog"
	"runtime/debug"

	"middlemark/refusals"
	"middlemark/remoting"
)

// Desk stands between every protocol and the service: it gives every error the form of a refusal.
type Desk struct {
	Service remoting.Service
	Log     *slog.Logger
}

// Perform reads the request of an operation and performs it.
func (d Desk) Perform(ctx context.Context, operation string, read func(request any) error) (any, *refusals.Refusal) {
	named, exists := Operations[operation]
	if !exists {
		return nil, refusals.New(refusals.InvalidInput, "An operation of that name does not exist.")
	}
	request := named.NewRequest()
	if err := read(request); err != nil {
		return nil, refusals.Malformed(err)
	}
	answer, err := d.Survive(ctx, named, request)
	if err != nil {
		return nil, d.Refusal(operation, err)
	}
	return answer, nil
}

// Refusal is an error in the form for the caller. One without a code of the specification goes to the log.
func (d Desk) Refusal(operation string, err error) *refusals.Refusal {
	refusal := refusals.Of(err)
	if refusal.Code == refusals.Internal {
		d.Log.Error("operation failed", "operation", operation, "error", err)
	}
	return refusal
}

// Survive performs an operation; one that panics has failed.
func (d Desk) Survive(ctx context.Context, operation Operation, request any) (answer any, err error) {
	defer func() {
		if reason := recover(); reason != nil {
			err = fmt.Errorf("panic: %v\n%s", reason, debug.Stack())
		}
	}()
	return operation.Perform(ctx, d.Service, request)
}
