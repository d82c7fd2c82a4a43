package main

import (
	"strconv"

	"middlemark/brokerage/exchange"
	"middlemark/brokerage/grpc"
	"middlemark/brokerage/settings"
)

// clientDisclosed is what exchange.NewClient and grpc.NewClient set.
func clientDisclosed(in settings.Settings) []notDefault {
	calls := strconv.Itoa(in.ServicesConnections)
	answer := notDefault{"time-out of a call", exchange.AnswerLimit.String(), "longer than the services give their database"}
	switch in.Binding {
	case settings.Local:
		return nil
	case settings.GRPC:
		return []notDefault{
			answer,
			{"gRPC calls at once", calls, "MM_SERVICES_CONNECTIONS"},
			{"grpc.ConnectParams MinConnectTimeout", exchange.AnswerLimit.String(), "connecting takes no longer than a call waits"},
			{"grpc.ConnectParams MaxDelay", grpc.ReconnectLimit.String(), "services that are back are found soon"},
		}
	}
	return []notDefault{
		answer,
		{"http.Transport MaxConnsPerHost, MaxIdleConnsPerHost", calls, "MM_SERVICES_CONNECTIONS"},
		{"http.Transport IdleConnTimeout", exchange.IdleLimit.String(), "shorter than the server keeps them"},
	}
}
