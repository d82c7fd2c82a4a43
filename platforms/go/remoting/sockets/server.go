// Package sockets is connections that no library of a protocol looks after: accepted, finished, and known to be closed.
package sockets

import (
	"context"
	"errors"
	"log/slog"
	"net"
	"runtime/debug"
	"sync"
	"syscall"
	"time"
)

// acceptPause is how long a process that has too many open files waits before it accepts again.
const acceptPause = 5 * time.Millisecond

// Server accepts connections and lets each be served until it ends.
type Server struct {
	serve func(net.Conn)
	log   *slog.Logger

	mu       sync.Mutex
	stopping bool
	listener net.Listener
	open     map[net.Conn]struct{}
	serving  sync.WaitGroup
}

// NewServer serves each connection by serve, which returns when nothing can be read any more.
func NewServer(serve func(net.Conn), log *slog.Logger) *Server {
	return &Server{serve: serve, log: log, open: make(map[net.Conn]struct{})}
}

// Serve accepts until Stop.
func (s *Server) Serve(listener net.Listener) error {
	s.mu.Lock()
	s.listener = listener
	stopping := s.stopping
	s.mu.Unlock()
	if stopping {
		return listener.Close()
	}
	for {
		connection, err := listener.Accept()
		switch {
		case err == nil:
			s.begin(connection)
		case errors.Is(err, net.ErrClosed):
			return nil
		case errors.Is(err, syscall.EMFILE) || errors.Is(err, syscall.ENFILE) || errors.Is(err, syscall.ECONNABORTED):
			time.Sleep(acceptPause)
		default:
			return err
		}
	}
}

func (s *Server) begin(connection net.Conn) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.stopping {
		_ = connection.Close() // nothing was read
		return
	}
	s.open[connection] = struct{}{}
	s.serving.Go(func() {
		defer s.end(connection)
		s.serve(connection)
	})
}

func (s *Server) end(connection net.Conn) {
	if reason := recover(); reason != nil {
		s.log.Error("connection panicked", "reason", reason, "stack", string(debug.Stack()))
	}
	_ = connection.Close() // every answer is sent
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.open, connection)
}

// Stop reads nothing more and waits for the answers under way; false when ctx ended before that.
func (s *Server) Stop(ctx context.Context) bool {
	s.mu.Lock()
	s.stopping = true
	if s.listener != nil {
		_ = s.listener.Close() // it may be closed
	}
	s.each(closeRead)
	s.mu.Unlock()
	finished := make(chan struct{})
	go func() {
		s.serving.Wait()
		close(finished)
	}()
	select {
	case <-finished:
		return true
	case <-ctx.Done():
		s.mu.Lock()
		defer s.mu.Unlock()
		s.each(func(connection net.Conn) { _ = raw(connection).Close() }) // cut off
		return false
	}
}

func (s *Server) each(do func(net.Conn)) {
	for connection := range s.open {
		do(connection)
	}
}

// closeRead ends the reading of a connection.
func closeRead(connection net.Conn) {
	if half, can := raw(connection).(interface{ CloseRead() error }); can {
		_ = half.CloseRead() // the client may have closed it
	}
}
