// Package grpc is the gRPC binding (specs/brokerage/brokerage.proto): NewServer offers services, Client calls them.
package grpc

import (
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/status"

	"middlemark/brokerage"
	"middlemark/brokerage/httpstatus"
	"middlemark/exchange"
	"middlemark/refusals"
)

// trailer is the trailing metadata that carries the code of a refusal.
const trailer = "middlemark-code"

var statuses = map[refusals.Code]codes.Code{
	refusals.InvalidInput:         codes.InvalidArgument,
	refusals.AuthenticationFailed: codes.PermissionDenied,
	brokerage.UnknownUser:         codes.NotFound,
	brokerage.UnknownSymbol:       codes.NotFound,
	brokerage.UnknownHolding:      codes.NotFound,
	brokerage.UserExists:          codes.AlreadyExists,
	brokerage.InsufficientFunds:   codes.FailedPrecondition,
	brokerage.AlreadyBeingSold:    codes.FailedPrecondition,
	refusals.Unavailable:          codes.Unavailable,
	refusals.Internal:             codes.Internal,
}

// toStatus is a refusal as gRPC tells it: the trailing metadata and the status.
func toStatus(refusal *refusals.Refusal) (metadata.MD, error) {
	return metadata.Pairs(trailer, string(refusal.Code)), status.Error(statuses[refusal.Code], refusal.Message)
}

// fromStatus is the refusal that the services have told; whoever ends a call without a code is not the services.
func fromStatus(err error, trailing metadata.MD) error {
	told := trailing.Get(trailer)
	if len(told) == 0 {
		return refusals.NotAvailable(err)
	}
	return exchange.Refused(refusals.Code(told[0]), status.Convert(err).Message(), httpstatus.IsKnown)
}
