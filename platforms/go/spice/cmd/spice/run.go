package main

import (
	"context"
	"crypto/tls"
	"io"
	"log/slog"
	"net"
	"net/http"
	"time"

	"middlemark/process"
	"middlemark/spice/contents"
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
	server := process.NewServer(handler(read, made), log)
	_, err = process.Serve(ctx, process.Pages(server, listening...), nil, log)
	return err
}

func handler(read settings, made *contents.Contents) http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /health", process.Health())
	mux.Handle("GET /about", about(read))
	made.Handle(mux)
	return mux
}

// listen opens the plain listener, and with TLS the other one.
func listen(read settings) ([]net.Listener, error) {
	open, err := process.Listen(read.host, read.port)
	if err != nil || read.tlsPort == 0 {
		return []net.Listener{open}, err
	}
	encrypted, err := process.Listen(read.host, read.tlsPort)
	if err != nil {
		_ = open.Close() // the process ends with the error above
		return nil, err
	}
	keys := &tls.Config{Certificates: []tls.Certificate{read.certificate}}
	return []net.Listener{open, tls.NewListener(encrypted, keys)}, nil
}
