package main

import (
	"context"
	"crypto/tls"
	"errors"
	"io"
	"log/slog"
	"net"
	"net/http"
	"strconv"
	"time"

	"middlemark/spice/contents"
)

// Time-outs of the server.
const (
	headerLimit   = 10 * time.Second
	exchangeLimit = 90 * time.Second
	idleLimit     = 120 * time.Second
	stopLimit     = 10 * time.Second
)

// run answers until ctx ends.
func run(ctx context.Context, getenv func(string) string, out io.Writer) error {
	read, err := readSettings(getenv)
	if err != nil {
		return err
	}
	made, err := contents.New(read.site, time.Now)
	if err != nil {
		return err
	}
	log := slog.New(slog.NewTextHandler(out, nil))
	listening, err := listen(read)
	if err != nil {
		return err
	}
	log.Info("listening", "address", listening[0].Addr(), "encryption", read.encryption)
	return serve(ctx, handler(read, made), listening, log)
}

func handler(read settings, made *contents.Contents) http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /health", health)
	mux.HandleFunc("GET /about", about(read))
	made.Handle(mux)
	return mux
}

func health(w http.ResponseWriter, _ *http.Request) {
	w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	_, _ = io.WriteString(w, "ok") // a client that has gone needs no answer
}

// listen opens the plain listener, and with TLS the other one.
func listen(read settings) ([]net.Listener, error) {
	open, err := net.Listen("tcp", net.JoinHostPort(read.host, strconv.Itoa(read.port)))
	if err != nil || read.tlsPort == 0 {
		return []net.Listener{open}, err
	}
	encrypted, err := net.Listen("tcp", net.JoinHostPort(read.host, strconv.Itoa(read.tlsPort)))
	if err != nil {
		_ = open.Close() // the process ends with the error above
		return nil, err
	}
	keys := &tls.Config{Certificates: []tls.Certificate{read.certificate}}
	return []net.Listener{open, tls.NewListener(encrypted, keys)}, nil
}

// serve answers on all listeners until ctx ends and then finishes what it has begun.
func serve(ctx context.Context, handler http.Handler, listening []net.Listener, log *slog.Logger) error {
	server := &http.Server{
		Handler:           handler,
		ReadHeaderTimeout: headerLimit,
		ReadTimeout:       exchangeLimit,
		WriteTimeout:      exchangeLimit,
		IdleTimeout:       idleLimit,
		ErrorLog:          slog.NewLogLogger(log.Handler(), slog.LevelWarn),
	}
	failed := make(chan error, len(listening))
	for _, one := range listening {
		go func() { failed <- server.Serve(one) }()
	}
	select {
	case err := <-failed:
		return err
	case <-ctx.Done():
	}
	stopping, cancel := context.WithTimeout(context.WithoutCancel(ctx), stopLimit)
	defer cancel()
	if err := server.Shutdown(stopping); errors.Is(err, context.DeadlineExceeded) {
		log.Warn("what was under way was cut off", "after", stopLimit)
	}
	return nil
}
