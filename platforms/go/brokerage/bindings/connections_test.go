package bindings_test

import (
	"context"
	"net"
	"net/http"
	"sync"
	"testing"
	"time"

	"middlemark/brokerage"
	"middlemark/brokerage/grpc"
	"middlemark/brokerage/json"
	"middlemark/brokerage/soap"
)

// crowd is services in which whoever pings waits until as many are there as are expected, and a listener that counts.
type crowd struct {
	brokerage.Services
	net.Listener
	full    chan struct{}
	release func()

	mu                        sync.Mutex
	expected, inside, largest int
	connections               int
}

func newCrowd(t *testing.T, expected int) *crowd {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	must(t, err)
	full := make(chan struct{})
	return &crowd{Listener: listener, full: full, release: sync.OnceFunc(func() { close(full) }), expected: expected}
}

func (c *crowd) Accept() (net.Conn, error) {
	connection, err := c.Listener.Accept()
	if err == nil {
		c.mu.Lock()
		c.connections++
		c.mu.Unlock()
	}
	return connection, err
}

func (c *crowd) Ping(ctx context.Context) error {
	c.mu.Lock()
	c.inside++
	c.largest = max(c.largest, c.inside)
	if c.largest == c.expected {
		time.AfterFunc(50*time.Millisecond, c.release) // the time in which one too many would come
	}
	c.mu.Unlock()
	defer func() {
		c.mu.Lock()
		c.inside--
		c.mu.Unlock()
	}()
	select {
	case <-c.full:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

func TestCallsBeyondTheLimitWaitAndConnectionsAreKept(t *testing.T) {
	const limit, callers = 5, 40
	for _, binding := range []string{"soap", "json", "grpc"} {
		t.Run("over "+binding, func(t *testing.T) {
			c := newCrowd(t, limit)
			if binding == "grpc" {
				server := grpc.NewServer(c, silent)
				go func() { _ = server.Serve(c) }() // the calls tell what goes wrong
				t.Cleanup(server.Stop)
			} else {
				mux := http.NewServeMux()
				mux.Handle(json.Path, json.Handler(c, silent))
				mux.Handle(soap.Path, soap.Handler(c, silent))
				server := &http.Server{Handler: mux, ReadHeaderTimeout: time.Minute}
				go func() { _ = server.Serve(c) }() // as above
				t.Cleanup(func() { _ = server.Close() })
			}
			client := clients(t, "http://"+c.Addr().String(), limit)[binding]
			for range 2 { // the second time over the connections of the first
				for _, err := range atOnce(callers, func() error { return client.Ping(t.Context()) }) {
					must(t, err)
				}
			}
			most := map[string]int{"soap": limit, "json": limit, "grpc": grpc.Connections}[binding]
			if c.largest != limit || c.connections > most {
				t.Errorf("%d calls at once over %d connections, want %d over at most %d", c.largest, c.connections, limit, most)
			}
		})
	}
}
