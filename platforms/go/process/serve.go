// Package process is what every application of this platform does as a process: settings, start and stop, /health, /about, /pools.
package process

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"os"
	"os/signal"
	"runtime/debug"
	"strconv"
	"syscall"
	"time"
)

// Time-outs of the server. Idle connections outlive those that a client of the services keeps; a whole request and its
// answer may take longer than a page whose services all answer at the last moment.
const (
	headerLimit   = 10 * time.Second
	exchangeLimit = 90 * time.Second
	idleLimit     = 120 * time.Second
	// StopLimit is how long a process that is told to stop finishes what it has begun.
	StopLimit = 10 * time.Second
)

// maxRequest bounds the memory that a request can take (specs/README.md).
const maxRequest = 64 << 10

// Run is a program: it works until its context ends.
type Run func(ctx context.Context, getenv func(string) string, out io.Writer) error

// Main runs the program until it is told to stop, and ends the process.
func Main(run Run) {
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM, os.Interrupt)
	defer stop()
	os.Exit(ExitStatus(run(ctx, os.Getenv, os.Stderr), os.Stderr))
}

// ExitStatus says on log what was wrong: 2 for the settings, 1 for anything else.
func ExitStatus(err error, log io.Writer) int {
	if err == nil {
		return 0
	}
	_, _ = fmt.Fprintln(log, err) // there is nowhere else to complain
	var wrong *SettingError
	if errors.As(err, &wrong) {
		return 2
	}
	return 1
}

// Listen opens a TCP port.
func Listen(host string, port int) (net.Listener, error) {
	return net.Listen("tcp", net.JoinHostPort(host, strconv.Itoa(port)))
}

// NewServer is a server with this platform's limits. A request that panics is answered 500.
func NewServer(handler http.Handler, log *slog.Logger) *http.Server {
	return &http.Server{
		Handler:           surviving(http.MaxBytesHandler(handler, maxRequest), log),
		ReadHeaderTimeout: headerLimit,
		ReadTimeout:       exchangeLimit,
		WriteTimeout:      exchangeLimit,
		IdleTimeout:       idleLimit,
		ErrorLog:          slog.NewLogLogger(log.Handler(), slog.LevelWarn),
	}
}

// Part is something that a process serves until it is told to stop.
type Part struct {
	Serve func() error               // nil: it serves nobody from outside
	Stop  func(context.Context) bool // finishes what was begun; false when the context ended before that
}

// Pages is the part of a server on its listeners.
func Pages(server *http.Server, listening ...net.Listener) []Part {
	parts := make([]Part, len(listening))
	for i, listener := range listening {
		parts[i] = Part{
			Serve: func() error { return server.Serve(listener) },
			Stop:  func(ctx context.Context) bool { return server.Shutdown(ctx) == nil },
		}
	}
	return parts
}

// Serve serves all parts until ctx ends or one of them fails. Then `drain` is called, unless it is nil, and the parts finish
// what they have begun, side by side. It says whether all of it was finished.
func Serve(ctx context.Context, parts []Part, drain func(context.Context), log *slog.Logger) (finished bool, err error) {
	failed := make(chan error, len(parts))
	for _, part := range parts {
		if part.Serve != nil {
			go func() { failed <- part.Serve() }()
		}
	}
	select {
	case err := <-failed:
		return false, err
	case <-ctx.Done():
	}
	stopping, cancel := context.WithTimeout(context.WithoutCancel(ctx), StopLimit)
	defer cancel()
	if drain != nil {
		drain(stopping)
	}
	stopped := make(chan bool, len(parts))
	for _, part := range parts {
		go func() { stopped <- part.Stop(stopping) }()
	}
	finished = true
	for range parts {
		finished = <-stopped && finished
	}
	if !finished {
		log.Warn("what was under way was cut off", "after", StopLimit)
	}
	return finished, nil
}

// surviving answers 500 when a request panics, and tells the log why.
func surviving(next http.Handler, log *slog.Logger) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		defer func() {
			reason := recover()
			if reason == nil {
				return
			}
			log.Error("request panicked", "path", r.URL.Path, "reason", reason, "stack", string(debug.Stack()))
			http.Error(w, "Something went wrong. The details are in the log.", http.StatusInternalServerError)
		}()
		next.ServeHTTP(w, r)
	})
}
