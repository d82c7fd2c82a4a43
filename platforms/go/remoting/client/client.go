package client

import (
	"context"
	"errors"
	"maps"
	"slices"
	"sync"

	"middlemark/refusals"
	"middlemark/remoting"
	"middlemark/remoting/access"
)

// Settings are a client's credentials and the addresses of its service.
type Settings struct {
	Authentication string
	Shown          access.Credentials
	Addresses      Addresses
	Keep           bool             // connections, from call to call
	Local          remoting.Service // nil: the process carries no service
}

// Client has the proxies of a process. A proxy belongs to one user at a time, and the next one finds it connected.
type Client struct {
	settings Settings
	mu       sync.Mutex
	idle     map[string][]Proxy // by protocol
}

// New makes no connection.
func New(settings Settings) *Client {
	return &Client{settings: settings, idle: make(map[string][]Proxy)}
}

// Take is a proxy for one user until Return. Without an address it is `unavailable`.
func (c *Client) Take(name string) (Proxy, error) {
	if name == Local {
		if c.settings.Local == nil {
			return nil, refusals.NotAvailable(errors.New("this process carries no service"))
		}
		return inProcess{c.settings.Local}, nil
	}
	address := c.address(name)
	if address == "" {
		return nil, refusals.NotAvailable(errors.New("the client has no address for " + name))
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if idle := c.idle[name]; len(idle) > 0 {
		c.idle[name] = idle[:len(idle)-1]
		return idle[len(idle)-1], nil
	}
	return NewProxy(name, Target{address, c.settings.Shown, c.settings.Keep}), nil
}

// Return gives a proxy back.
func (c *Client) Return(name string, proxy Proxy) {
	if name == Local {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.idle[name] = append(c.idle[name], proxy)
}

// Close ends the connections of all proxies that were returned.
func (c *Client) Close() {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, idle := range c.idle {
		for _, proxy := range idle {
			proxy.Close()
		}
	}
	clear(c.idle)
}

// Ready calls the service over one protocol that has an address, if any has.
func (c *Client) Ready(ctx context.Context) error {
	for _, name := range slices.Sorted(maps.Keys(protocols)) {
		if !Offered(name, c.settings.Authentication) || c.address(name) == "" {
			continue
		}
		proxy, err := c.Take(name)
		if err != nil {
			return err
		}
		defer c.Return(name, proxy)
		return proxy.Ping(ctx)
	}
	return nil
}

// Offered says whether the client calls over a protocol.
func (c *Client) Offered(name string) bool { return Offered(name, c.settings.Authentication) }

func (c *Client) address(name string) string {
	return protocols[name].address(c.settings.Addresses, c.settings.Authentication)
}

// inProcess is the service itself.
type inProcess struct{ remoting.Service }

// Close has nothing to end.
func (inProcess) Close() {}
