package netrpc

import (
	"context"
	"errors"
	"net"
	"net/rpc"
	"strings"

	"middlemark/refusals"
	"middlemark/remoting/messages"
)

// caller makes calls over a connection that it keeps or makes for each.
type caller struct {
	dial func(context.Context) (net.Conn, error)
	keep bool
	line *rpc.Client // nil: none is open
}

// NewClient calls a service by dial.
func NewClient(dial func(context.Context) (net.Conn, error), keep bool) *messages.Client {
	c := &caller{dial: dial, keep: keep}
	return messages.NewClient(c.exchange, c.close)
}

func (c *caller) exchange(ctx context.Context, operation string, request, answer any) error {
	if !c.keep {
		defer c.close()
	}
	err := c.once(ctx, operation, request, answer)
	if errors.Is(err, rpc.ErrShutdown) { // the service has closed a kept connection: nothing was sent on it
		c.close()
		err = c.once(ctx, operation, request, answer)
	}
	var sent rpc.ServerError
	switch {
	case err == nil:
		return nil
	case errors.As(err, &sent):
		return refused(string(sent))
	}
	c.close()
	return refusals.NotAvailable(err)
}

func (c *caller) once(ctx context.Context, operation string, request, answer any) error {
	if c.line == nil {
		connection, err := c.dial(ctx)
		if err != nil {
			return err
		}
		c.line = rpc.NewClient(connection)
	}
	if _, is := request.(*messages.Nothing); is {
		request = None(false)
	}
	if _, is := answer.(*messages.Nothing); is {
		answer = new(None)
	}
	call := c.line.Go(receiver+"."+methodOf(operation), request, answer, make(chan *rpc.Call, 1))
	select {
	case <-call.Done:
		return call.Error
	case <-ctx.Done():
		return ctx.Err()
	}
}

func (c *caller) close() {
	if c.line != nil {
		_ = c.line.Close() // it may have been closed by the service
		c.line = nil
	}
}

// methodOf is the name of Go's method for an operation.
func methodOf(operation string) string { return strings.ToUpper(operation[:1]) + operation[1:] }
