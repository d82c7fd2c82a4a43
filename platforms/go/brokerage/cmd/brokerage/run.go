package main

import (
	"context"
	"io"
	"log/slog"
	"net"

	"middlemark/brokerage/settings"
	"middlemark/process"
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
	open.pages, err = process.Listen(read.Host, read.Port)
	if err != nil || !calls {
		return open, err
	}
	open.calls, err = process.Listen(read.Host, read.GRPCPort)
	if err != nil {
		_ = open.pages.Close() // the process ends with the error above
	}
	return open, err
}

// serve answers until ctx ends and then finishes what it has begun.
func serve(ctx context.Context, app *application, open ports, log *slog.Logger) error {
	completing, stopCompleting := context.WithCancel(ctx)
	defer stopCompleting()
	go app.completeOrders(completing)
	parts := append(process.Pages(process.NewServer(app.handler(), log), open.pages), process.Part{Stop: app.drainOrders})
	if open.calls != nil {
		parts = append(parts, process.Part{Serve: func() error { return app.calls.Serve(open.calls) }, Stop: app.stopCalls})
	}
	finished, err := process.Serve(ctx, parts, app.drainPages, log)
	if finished { // otherwise the end of the process closes the connections
		app.close()
	}
	return err
}
