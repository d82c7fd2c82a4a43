package main

import (
	"strconv"

	"middlemark/brokerage/exchange"
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

// clientDisclosed is what exchange.NewTransport sets.
func clientDisclosed(in settings.Settings) []notDefault {
	connections := strconv.Itoa(in.ServicesConnections)
	return []notDefault{
		{"http.Transport MaxConnsPerHost, MaxIdleConnsPerHost", connections, "MM_SERVICES_CONNECTIONS"},
		{"http.Transport IdleConnTimeout", exchange.IdleLimit.String(), "shorter than the server keeps them"},
		{"http.Transport DisableCompression", "true", "the services do not compress"},
	}
}
