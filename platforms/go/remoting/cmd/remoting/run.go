package main

import (
	"context"
	"io"
	"log/slog"
	"net"
	"net/http"

	"github.com/jackc/pgx/v5/pgxpool"

	"middlemark/database"
	"middlemark/process"
	"middlemark/remoting/access"
	"middlemark/remoting/calls"
	"middlemark/remoting/client"
	"middlemark/remoting/httpprotobuf"
	"middlemark/remoting/json"
	"middlemark/remoting/overhttp"
	"middlemark/remoting/postgres"
	"middlemark/remoting/settings"
	"middlemark/remoting/soap"
)

// run carries the roles until ctx ends.
func run(ctx context.Context, getenv func(string) string, out io.Writer) error {
	read, err := settings.Read(getenv)
	if err != nil {
		return err
	}
	app := &application{settings: read, log: slog.New(slog.NewTextHandler(out, nil))}
	if read.Has(settings.Service) {
		if app.store, err = postgres.New(read.DatabaseURL, read.DatabasePool, app.log); err != nil {
			return &process.SettingError{
				Variable: "MM_DATABASE_URL", Value: process.WithoutPassword(read.DatabaseURL), Allowed: process.DatabaseURLForm,
			}
		}
		app.guard = access.NewGuard(read.Authentication, read.TokenKey)
	}
	if read.Has(settings.Client) {
		calling := read.Client()
		if app.store != nil {
			calling.Local = app.store
		}
		app.client = client.New(calling)
		app.calls = process.NewDraining(calls.New(app.client, app.log))
	}
	return app.serve(ctx)
}

// application is the parts of one process.
type application struct {
	settings settings.Settings
	store    *postgres.Store   // nil without the role service
	guard    *access.Guard     // nil as well
	client   *client.Client    // nil without the role client
	calls    *process.Draining // nil as well
	log      *slog.Logger
}

// serve answers until ctx ends and then finishes what it has begun.
func (a *application) serve(ctx context.Context) error {
	parts, err := a.open()
	if err != nil {
		return err
	}
	a.log.Info("listening", "host", a.settings.Host, "port", a.settings.Port, "roles", a.settings.Roles,
		"authentication", a.settings.Authentication)
	finished, err := process.Serve(ctx, parts, a.drain, a.log)
	if !finished { // the end of the process closes the connections
		return err
	}
	if a.client != nil {
		a.client.Close()
	}
	if a.store != nil {
		a.store.Close()
	}
	return err
}

// drain lets calls under way finish while the service that they may call in this process still answers.
func (a *application) drain(ctx context.Context) {
	if a.calls != nil {
		a.calls.Drain(ctx)
	}
}

func (a *application) handler() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /health", process.Health(a.needs()...))
	mux.Handle("GET /about", process.NewAbout("remoting", a.settings.Roles, a.settings.Texts(), a.notDefault()))
	if a.store != nil {
		mux.HandleFunc("GET /pools", database.Pools(map[string]*pgxpool.Pool{"northwind": a.store.Pool()}))
		json.Offer(mux, a.store, a.guard, a.log)
		httpprotobuf.Offer(mux, a.store, a.guard, a.log)
		soap.Offer(mux, a.store, a.guard, a.log)
	}
	if a.calls != nil {
		mux.Handle("/call/", a.calls)
		mux.Handle("/loop/", a.calls)
	}
	return mux
}

// needs are the database, and the service that the client calls.
func (a *application) needs() (needs []process.Need) {
	if a.store != nil {
		needs = append(needs, process.Need{Missing: "The database does not answer.", Ready: a.store.Ready})
	}
	if a.client != nil {
		needs = append(needs, process.Need{Missing: "The service does not answer.", Ready: a.client.Ready})
	}
	return needs
}

// pages is the server of everything over HTTP.
func (a *application) pages(listening ...net.Listener) []process.Part {
	server := process.NewServer(overhttp.Limited(a.handler()), a.log)
	server.ConnContext = access.ConnContext
	return process.Pages(server, listening...)
}
