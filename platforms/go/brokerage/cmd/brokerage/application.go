package main

import (
	"context"
	"log/slog"
	"net/http"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"
	stdgrpc "google.golang.org/grpc"

	"middlemark/brokerage"
	"middlemark/brokerage/grpc"
	"middlemark/brokerage/json"
	"middlemark/brokerage/postgres"
	"middlemark/brokerage/settings"
	"middlemark/brokerage/soap"
	"middlemark/brokerage/web"
	"middlemark/database"
	"middlemark/process"
)

// application is the parts of one process, tied together.
type application struct {
	switchboard *switchboard
	store       *postgres.Store   // nil when the process needs no database
	ordering    *ordering         // nil as well
	pages       *process.Draining // nil without the role web
	calls       *stdgrpc.Server   // nil when gRPC is not offered
	log         *slog.Logger
}

func newApplication(read settings.Settings, log *slog.Logger) (*application, error) {
	app := &application{log: log}
	var own brokerage.Services
	if read.NeedsDatabase() {
		store, err := postgres.New(read.DatabaseURL, read.DatabasePool, log)
		if err != nil {
			return nil, &process.SettingError{
				Variable: "MM_DATABASE_URL", Value: read.Texts()["database_url"], Allowed: process.DatabaseURLForm,
			}
		}
		app.store, own = store, brokerage.Checked{Services: store}
		app.ordering = newOrdering(read, store, log)
	}
	board, err := newSwitchboard(read, own, app.ordering)
	if err != nil {
		return nil, err
	}
	app.switchboard = board
	if read.Has(settings.Web) {
		app.pages = process.NewDraining(web.New(app.switchboard, web.Options{
			SessionIdle: time.Duration(read.SessionSeconds) * time.Second,
			ConfigPage:  read.ConfigPage,
			Work:        app.work,
			Log:         log,
		}))
	}
	if read.OwnURL(settings.GRPC) != "" {
		app.calls = grpc.NewServer(own, log)
	}
	return app, nil
}

func (a *application) handler() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /health", process.Health(a.needs()...))
	mux.HandleFunc("GET /about", a.about)
	if a.store != nil {
		mux.HandleFunc("GET /pools", database.Pools(map[string]*pgxpool.Pool{"brokerage": a.store.Pool()}))
	}
	if a.switchboard.settings().Has(settings.Services) {
		json.Offer(mux, a.switchboard.own, a.log)
		soap.Offer(mux, a.switchboard.own, a.log)
	}
	if a.pages != nil {
		mux.Handle("/", a.pages)
	}
	return mux
}

// needs are the database, and the services that the pages call.
func (a *application) needs() (needs []process.Need) {
	if a.store != nil {
		needs = append(needs, process.Need{Missing: "The database does not answer.", Ready: a.store.Ready})
	}
	if a.pages != nil {
		ready := func(ctx context.Context) error { return a.switchboard.Services().Ping(ctx) }
		needs = append(needs, process.Need{Missing: "The services do not answer.", Ready: ready})
	}
	return needs
}

// completeOrders does the work that nobody asks for, until ctx ends.
func (a *application) completeOrders(ctx context.Context) {
	if a.ordering != nil {
		a.ordering.run(ctx)
	}
}

// drainPages lets the pages under way finish while the services they may call in this process still answer.
func (a *application) drainPages(ctx context.Context) {
	if a.pages != nil {
		a.pages.Drain(ctx)
	}
}

// drainOrders waits for the orders that are being completed; false when ctx ended before they were.
func (a *application) drainOrders(ctx context.Context) bool {
	return a.ordering == nil || a.ordering.drain(ctx)
}

// work is nothing in a process without a database.
func (a *application) work() web.Work {
	if a.store == nil {
		return web.Work{}
	}
	return web.Work(a.store.Work())
}

// stopCalls stops to accept calls over gRPC and finishes those under way; false when ctx ended before that.
func (a *application) stopCalls(ctx context.Context) bool {
	if a.calls == nil {
		return true
	}
	finished := make(chan struct{})
	go func() {
		a.calls.GracefulStop()
		close(finished)
	}()
	select {
	case <-finished:
		return true
	case <-ctx.Done():
		a.calls.Stop()
		return false
	}
}

// close closes the connections, when nothing is under way.
func (a *application) close() {
	a.switchboard.close()
	if a.store != nil {
		a.store.Close()
	}
}
