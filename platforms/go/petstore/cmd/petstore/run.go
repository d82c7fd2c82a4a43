package main

import (
	"context"
	"io"
	"log/slog"
	"net/http"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"

	"middlemark/database"
	"middlemark/exchange"
	"middlemark/petstore/postgres"
	"middlemark/petstore/soap"
	site "middlemark/petstore/web"
	"middlemark/process"
)

// remoteCalls is how many calls of the web service a process makes at the same time.
const remoteCalls = 64

// run carries the roles until ctx ends.
func run(ctx context.Context, getenv func(string) string, out io.Writer) error {
	read, err := readSettings(getenv)
	if err != nil {
		return err
	}
	log := slog.New(slog.NewTextHandler(out, nil))
	pools, err := newPools(read)
	if err != nil {
		return err
	}
	listening, err := process.Listen(read.host, read.port)
	if err != nil {
		return err
	}
	log.Info("listening", "address", listening.Addr(), "roles", read.roles)
	store := postgres.New(pools["catalog"], pools["orders"], time.Duration(read.catalogSeconds)*time.Second, log)
	if read.has(web) {
		go store.Recover(ctx, time.Duration(read.recoverySeconds)*time.Second)
	}
	server := process.NewServer(handler(read, pools, store, log), log)
	finished, err := process.Serve(ctx, process.Pages(server, listening), nil, log)
	if finished { // otherwise the end of the process closes the connections
		for _, pool := range pools {
			pool.Close()
		}
	}
	return err
}

// newPools prepares the databases that the roles need.
func newPools(read settings) (map[string]*pgxpool.Pool, error) {
	pools := make(map[string]*pgxpool.Pool)
	for _, need := range []struct {
		name, variable, url string
		size                int
	}{
		{"catalog", "MM_CATALOG_URL", read.catalogURL, read.catalogPool},
		{"orders", "MM_ORDERS_URL", read.ordersURL, read.ordersPool},
	} {
		if need.url == "" {
			continue
		}
		pool, err := database.NewPool(need.url, need.size)
		if err != nil {
			return nil, &process.SettingError{
				Variable: need.variable, Value: process.WithoutPassword(need.url), Allowed: process.DatabaseURLForm,
			}
		}
		pools[need.name] = pool
	}
	return pools, nil
}

func handler(read settings, pools map[string]*pgxpool.Pool, store *postgres.Store, log *slog.Logger) http.Handler {
	mux := http.NewServeMux()
	var needs []process.Need
	for name, pool := range pools {
		needs = append(needs, process.Need{Missing: "The database " + name + " does not answer.", Ready: pool.Ping})
	}
	if read.has(orderService) {
		soap.Offer(mux, store, log)
	}
	if read.has(web) {
		remote := soap.NewClient(read.serviceURL, exchange.NewClient(remoteCalls))
		if !read.has(orderService) {
			needs = append(needs, process.Need{Missing: "The web service does not answer.", Ready: remote.Ping})
		}
		shop := site.Shop{Catalog: store, Customers: store, Orders: store, Remote: remote}
		mux.Handle("/", site.New(shop, time.Duration(read.sessionSeconds)*time.Second, log))
		mux.Handle("/services/", http.NotFoundHandler())
	}
	mux.HandleFunc("GET /health", process.Health(needs...))
	mux.Handle("GET /about", process.NewAbout("petstore", read.roles, read.texts(), notDefault(read)))
	mux.HandleFunc("GET /pools", database.Pools(pools))
	return mux
}

// notDefault lists what differs from the defaults of pgx and of the client of the web service.
func notDefault(read settings) []process.NotDefault {
	list := database.NotDefault("MM_ORDERS_POOL", read.ordersPool)
	if !read.has(web) {
		return list
	}
	list = append(list, database.NotDefault("MM_CATALOG_POOL", read.catalogPool)...)
	return append(list, process.NotDefault{
		What: "time-out of a call", Value: exchange.AnswerLimit.String(), Why: "longer than the web service gives its database",
	})
}
