package main

import (
	"strconv"

	"middlemark/brokerage/grpc"
	"middlemark/brokerage/settings"
	"middlemark/exchange"
	"middlemark/process"
)

// clientDisclosed is what exchange.NewClient and grpc.NewClient set.
func clientDisclosed(in settings.Settings) []process.NotDefault {
	calls := strconv.Itoa(in.ServicesConnections)
	answer := process.NotDefault{What: "time-out of a call", Value: exchange.AnswerLimit.String(), Why: "longer than the services give their database"}
	switch in.Binding {
	case settings.Local:
		return nil
	case settings.GRPC:
		return []process.NotDefault{
			answer,
			{What: "gRPC calls at once", Value: calls, Why: "MM_SERVICES_CONNECTIONS"},
			{What: "grpc.ConnectParams MinConnectTimeout", Value: exchange.AnswerLimit.String(), Why: "connecting takes no longer than a call waits"},
			{What: "grpc.ConnectParams MaxDelay", Value: grpc.ReconnectLimit.String(), Why: "services that are back are found soon"},
		}
	}
	return []process.NotDefault{
		answer,
		{What: "http.Transport MaxConnsPerHost, MaxIdleConnsPerHost", Value: calls, Why: "MM_SERVICES_CONNECTIONS"},
		{What: "http.Transport IdleConnTimeout", Value: exchange.IdleLimit.String(), Why: "shorter than the server keeps them"},
	}
}
