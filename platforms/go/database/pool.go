// Package database is what every application of this platform does with PostgreSQL: pools, time limits, repetitions.
package database

import (
	"context"
	"net/http"
	"strconv"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"

	"middlemark/process"
)

// ConnectLimit is how long making a connection to a database may take.
const ConnectLimit = 2 * time.Second

// NewPool prepares a pool with at most size connections. It does not wait for the database.
func NewPool(url string, size int) (*pgxpool.Pool, error) {
	config, err := pgxpool.ParseConfig(url)
	if err != nil {
		return nil, err
	}
	config.MaxConns = int32(size)
	config.ConnConfig.ConnectTimeout = ConnectLimit
	config.ConnConfig.RuntimeParams["application_name"] = "middlemark-go"
	return pgxpool.NewWithConfig(context.Background(), config)
}

// NotDefault is what such a pool has besides pgx's defaults; variable is the setting of its size.
func NotDefault(variable string, size int) []process.NotDefault {
	return []process.NotDefault{
		{What: "pgxpool MaxConns", Value: strconv.Itoa(size), Why: variable},
		{What: "pgx ConnectTimeout", Value: ConnectLimit.String(), Why: "a database that is away is soon known to be"},
	}
}

// poolMessage is what /pools shows of the connections to a database (specs/README.md).
type poolMessage struct {
	Size          int     `json:"size"`
	InUse         int     `json:"in_use"`
	WaitedSeconds float64 `json:"waited_seconds"`
}

// Pools shows what pgx counts of the connections to each database, by its name.
func Pools(pools map[string]*pgxpool.Pool) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		shown := make(map[string]poolMessage, len(pools))
		for name, pool := range pools {
			stat := pool.Stat()
			shown[name] = poolMessage{
				Size: int(stat.MaxConns()), InUse: int(stat.AcquiredConns()), WaitedSeconds: stat.EmptyAcquireWaitTime().Seconds(),
			}
		}
		process.WriteJSON(w, shown)
	}
}
