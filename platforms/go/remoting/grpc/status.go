package grpc

import (
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"middlemark/refusals"
	"middlemark/remoting"
)

var statuses = map[refusals.Code]codes.Code{
	refusals.InvalidInput:    codes.InvalidArgument,
	remoting.Unauthenticated: codes.Unauthenticated,
	remoting.Forbidden:       codes.PermissionDenied,
	refusals.Unavailable:     codes.Unavailable,
	refusals.Internal:        codes.Internal,
}

// toStatus is a refusal as gRPC tells it.
func toStatus(refusal *refusals.Refusal) error {
	return status.Error(statuses[refusal.Code], refusal.Message)
}

// fromStatus is the refusal that a status tells. The library itself ends calls too: it has no answer then, or refuses a
// message that is too long.
func fromStatus(err error) error {
	sent := status.Convert(err)
	switch sent.Code() {
	case codes.InvalidArgument, codes.ResourceExhausted:
		return refusals.New(refusals.InvalidInput, "%s", sent.Message())
	case codes.Unauthenticated:
		return remoting.NotKnown()
	case codes.PermissionDenied:
		return remoting.NotAllowed()
	case codes.Internal:
		return refusals.Of(err)
	}
	return refusals.NotAvailable(err)
}
