package main

import (
	"strconv"

	"middlemark/brokerage/exchange"
	"middlemark/brokerage/grpc"
	"middlemark/brokerage/postgres"
	"middlemark/brokerage/settings"
)

// poolDisclosed is what postgres.New sets beside MM_DATABASE_POOL.
func poolDisclosed() []notDefault {
	return []notDefault{
		{"pgxpool MinConns", "as MaxConns", "the pool has a fixed size"},
		{"pgxpool MaxConnLifetime, MaxConnIdleTime", postgres.ConnectionLife.String(), "a connection is only replaced when it is broken"},
		{"pgxpool HealthCheckPeriod", postgres.RefillPeriod.String(), "a pool that lost its connections is full again soon"},
	}
}

// servicesDisclosed is what grpc.NewServer sets.
func servicesDisclosed(in settings.Settings) []notDefault {
	if in.OwnURL(settings.GRPC) == "" {
		return nil
	}
	return []notDefault{
		{"grpc.MaxRecvMsgSize", strconv.Itoa(exchange.MaxRequest), "the specification's longest request"},
		{"grpc.ConnectionTimeout", grpc.ConnectingLimit.String(), "a client that sends nothing must not hold a connection for ever"},
	}
}

// clientDisclosed is what exchange.NewTransport and grpc.NewClient set.
func clientDisclosed(in settings.Settings) []notDefault {
	connections := strconv.Itoa(in.ServicesConnections)
	switch in.Binding {
	case settings.Local:
		return nil
	case settings.GRPC:
		return []notDefault{
			{"gRPC connections", strconv.Itoa(min(grpc.Connections, in.ServicesConnections)), "one connection is read and written by one goroutine each"},
			{"gRPC calls at once", connections, "MM_SERVICES_CONNECTIONS"},
			{"grpc.WithDisableRetry", "true", "nothing is sent twice"},
			{"grpc.MaxCallRecvMsgSize", strconv.Itoa(exchange.MaxAnswer), "a user may have many holdings"},
			{"grpc.ConnectParams MaxDelay", grpc.ReconnectLimit.String(), "services that are back are found soon"},
		}
	}
	return []notDefault{
		{"http.Transport MaxConnsPerHost, MaxIdleConnsPerHost", connections, "MM_SERVICES_CONNECTIONS"},
		{"http.Transport IdleConnTimeout", exchange.IdleLimit.String(), "shorter than the server keeps them"},
		{"http.Transport DisableCompression", "true", "the services do not compress"},
	}
}
