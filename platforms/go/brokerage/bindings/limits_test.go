package bindings_test

import (
	"context"
	"errors"
	"net"
	"sync"
	"testing"
	"time"

	"middlemark/brokerage"
	"middlemark/refusals"
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
	full := make(chan struct{})
	return &crowd{Listener: listen(t), full: full, release: sync.OnceFunc(func() { close(full) }), expected: expected}
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

func TestCallsBeyondTheLimitWaitAndConnectionsStayOpen(t *testing.T) {
	const limit, callers = 5, 40
	for _, binding := range bindings {
		t.Run("over "+binding, func(t *testing.T) {
			c := newCrowd(t, limit)
			offer(t, binding, c, c, silent)
			caller := client(t, binding, c.Addr(), limit)
			for range 2 { // the second time over the connections of the first
				var calls sync.WaitGroup
				for range callers {
					calls.Go(func() {
						if err := caller.Ping(t.Context()); err != nil {
							t.Error(err)
						}
					})
				}
				calls.Wait()
			}
			most := map[string]int{"soap": limit, "json": limit, "grpc": 1}[binding]
			if c.largest != limit || c.connections > most {
				t.Errorf("%d calls at once over %d connections, want %d over at most %d", c.largest, c.connections, limit, most)
			}
		})
	}
}

func TestWhoKeepsSilentIsNotWaitedForLongerThanTheCallerWants(t *testing.T) {
	listener := listen(t) // accepts in the kernel, and nobody reads
	for _, binding := range bindings {
		t.Run("over "+binding, func(t *testing.T) {
			ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
			defer cancel()
			if err := client(t, binding, listener.Addr(), 1).Ping(ctx); !errors.Is(err, refusals.Unavailable) {
				t.Errorf("the call gave %v", err)
			}
		})
	}
}
