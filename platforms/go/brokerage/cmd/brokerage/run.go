package main

import (
	"context"
	"io"
	"log/slog"
	"net"
	"net/http"
	"strconv"
	"time"

	"middlemark/brokerage/settings"
)

// Time-outs of the server. Idle connections outlive those that a client of the services keeps; a whole request and its
// answer may take longer than a page whose services all answer at the last moment.
const (
	headerLimit   = 10 * time.Second
	exchangeLimit = 90 * time.Second
	idleLimit     = 120 * time.Second
	stopLimit     = 10 * time.Second
)

// run carries the roles until ctx ends.
func run(ctx context.Context, getenv func(string) string, out io.Writer) error {
	read, err := settings.Read(getenv)
	if err != nil {
		return err
	}
	log := slog.New(slog.NewTextHandler(out, nil))
	app, err := newApplication(read, log)
	if err != nil {
		return err
	}
	open, err := listen(read, app.calls != nil)
	if err != nil {
		return err
	}
	log.Info("listening", "address", open.pages.Addr(), "grpc_port", read.GRPCPort, "roles", read.Roles, "binding", read.Binding)
	return serve(ctx, app, open, log)
}

// ports are where the process is reached.
type ports struct {
	pages net.Listener // and all that goes over HTTP
	calls net.Listener // gRPC; nil when it is not offered
}

func listen(read settings.Settings, calls bool) (open ports, err error) {
	open.pages, err = net.Listen("tcp", net.JoinHostPort(read.Host, strconv.Itoa(read.Port)))
	if err != nil || !calls {
		return open, err
	}
	open.calls, err = net.Listen("tcp", net.JoinHostPort(read.Host, strconv.Itoa(read.GRPCPort)))
	if err != nil {
		_ = open.pages.Close() // the process ends with the error above
	}
	return open, err
}

// serve answers until ctx ends and then finishes what it has begun.
func serve(ctx context.Context, app *application, open ports, log *slog.Logger) error {
	server := &http.Server{
		Handler:           app.handler(),
		ReadHeaderTimeout: headerLimit,
		ReadTimeout:       exchangeLimit,
		WriteTimeout:      exchangeLimit,
		IdleTimeout:       idleLimit,
		ErrorLog:          slog.NewLogLogger(log.Handler(), slog.LevelWarn),
	}
	completing, stopCompleting := context.WithCancel(ctx)
	defer stopCompleting()
	go app.completeOrders(completing)
	failed := make(chan error, 2)
	go func() { failed <- server.Serve(open.pages) }()
	if open.calls != nil {
		go func() { failed <- app.calls.Serve(open.calls) }()
	}
	select {
	case err := <-failed:
		return err
	case <-ctx.Done():
	}
	stopping, cancel := context.WithTimeout(context.WithoutCancel(ctx), stopLimit)
	defer cancel()
	app.drainPages(stopping)
	stopped := make(chan bool, 1)
	go func() { stopped <- app.stopCalls(stopping) }()
	pagesDone := server.Shutdown(stopping) == nil
	callsDone, ordersDone := <-stopped, app.drainOrders(stopping) // the latter have been ending since ctx did
	if !pagesDone || !callsDone || !ordersDone {
		log.Warn("what was under way was cut off", "after", stopLimit)
		return nil // the end of the process closes the connections
	}
	app.close()
	return nil
}
