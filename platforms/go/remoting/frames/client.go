package frames

import (
	"context"
	"net"

	"middlemark/refusals"
	"middlemark/remoting/sockets"
)

// Client exchanges frames with a service, one after the other.
type Client struct {
	dial func(context.Context) (net.Conn, error)
	keep bool
	line *Line // nil: none is open
}

// NewClient makes its connection by dial when it needs one, and keeps it or makes one for each exchange.
func NewClient(dial func(context.Context) (net.Conn, error), keep bool) *Client {
	return &Client{dial: dial, keep: keep}
}

// Exchange sends a frame and reads the one that answers it, which is valid until the next exchange. It never sends twice.
func (c *Client) Exchange(ctx context.Context, frame []byte) ([]byte, error) {
	if len(frame) > MaxFrame {
		return nil, refusals.New(refusals.InvalidInput, "A request must have at most %d bytes.", MaxFrame)
	}
	if err := c.connect(ctx); err != nil {
		return nil, refusals.NotAvailable(err)
	}
	answer, err := c.line.exchange(ctx, frame)
	if err != nil {
		c.Close()
		return nil, refusals.NotAvailable(err)
	}
	if !c.keep {
		c.Close()
	}
	return answer, nil
}

func (c *Client) connect(ctx context.Context) error {
	if c.line != nil && (c.line.reader.Buffered() > 0 || !sockets.Unused(c.line.connection)) {
		c.Close()
	}
	if c.line != nil {
		return nil
	}
	connection, err := c.dial(ctx)
	if err != nil {
		return err
	}
	c.line = NewLine(connection)
	return nil
}

func (l *Line) exchange(ctx context.Context, frame []byte) ([]byte, error) {
	deadline, _ := ctx.Deadline() // without, none
	if err := l.connection.SetDeadline(deadline); err != nil {
		return nil, err
	}
	if err := l.write(frame); err != nil {
		return nil, err
	}
	return l.read()
}

// Close ends the connection.
func (c *Client) Close() {
	if c.line != nil {
		_ = c.line.connection.Close() // every answer was read
		c.line = nil
	}
}
