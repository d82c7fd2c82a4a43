// Package client hides the protocol of calls behind one interface: the operations of the service.
package client

import (
	"net/http"
	"slices"

	"middlemark/exchange"
	"middlemark/remoting"
	"middlemark/remoting/access"
	"middlemark/remoting/framed"
	"middlemark/remoting/grpc"
	"middlemark/remoting/httpprotobuf"
	"middlemark/remoting/json"
	"middlemark/remoting/netrpc"
	"middlemark/remoting/soap"
	"middlemark/remoting/sockets"
)

// Proxy is the service as one user of the client sees it. One goroutine uses it.
type Proxy interface {
	remoting.Service
	// Close ends its connection.
	Close()
}

// Target is where a proxy calls, and how.
type Target struct {
	Address string // host:port, a URL over HTTP, a path of `unix`
	Shown   access.Credentials
	Keep    bool // the connection, instead of making one for each call
}

// protocol is one of specs/remoting/protocols.md.
type protocol struct {
	address        func(Addresses, string) string // by authentication
	authentication []string
	proxy          func(Target) Proxy
}

// onlyNone is for protocols without authentication.
var onlyNone = []string{access.None}

// protocols are those over a connection, by name.
var protocols = map[string]protocol{
	"unix": {func(a Addresses, _ string) string { return a.Socket }, onlyNone, func(to Target) Proxy {
		return framed.NewClient(sockets.Dialer("unix", to.Address, nil), "", to.Keep)
	}},
	"tcp-protobuf": {
		func(a Addresses, _ string) string { return a.TCP },
		[]string{access.None, access.Token, access.Certificate},
		func(to Target) Proxy {
			return framed.NewClient(sockets.Dialer("tcp", to.Address, to.Shown.TLS), to.Shown.Authorization, to.Keep)
		},
	},
	"tcp-soap": {func(a Addresses, _ string) string { return a.TCPSOAP }, onlyNone, func(to Target) Proxy {
		return soap.NewFrameClient(sockets.Dialer("tcp", to.Address, nil), to.Keep)
	}},
	"grpc": {func(a Addresses, _ string) string { return a.GRPC }, access.All, func(to Target) Proxy {
		return grpc.NewClient(to.Address, to.Shown, to.Keep)
	}},
	"http-protobuf": {Addresses.overHTTP, access.All, func(to Target) Proxy {
		return httpprotobuf.NewClient(to.Address, to.http(), to.Shown.Authorization)
	}},
	"json": {Addresses.overHTTP, access.All, func(to Target) Proxy {
		return json.NewClient(to.Address, to.http(), to.Shown.Authorization)
	}},
	"soap": {Addresses.overHTTP, access.All, func(to Target) Proxy {
		return soap.NewClient(to.Address, to.http(), to.Shown.Authorization)
	}},
	"net-rpc": {func(a Addresses, _ string) string { return a.Native }, onlyNone, func(to Target) Proxy {
		return netrpc.NewClient(sockets.Dialer("tcp", to.Address, nil), to.Keep)
	}},
}

// NewProxy calls over a protocol that Offered knows.
func NewProxy(name string, to Target) Proxy { return protocols[name].proxy(to) }

// Local is the protocol that has no connection.
const Local = "local"

// Offered says whether the platform has a protocol with a kind of authentication.
func Offered(name, authentication string) bool {
	if name == Local {
		return authentication == access.None
	}
	return slices.Contains(protocols[name].authentication, authentication)
}

// Addresses are where the service is, the empty text where it is not.
type Addresses struct {
	HTTP, HTTPS, TCP, TCPSOAP, GRPC, Native, Socket string
}

func (a Addresses) overHTTP(authentication string) string {
	if authentication == access.Certificate {
		return a.HTTPS
	}
	return a.HTTP
}

// http is a client of one connection.
func (t Target) http() *http.Client {
	client := exchange.NewClient(1)
	transport := client.Transport.(*http.Transport)
	transport.DisableKeepAlives = !t.Keep
	if t.Shown.TLS != nil {
		transport.TLSClientConfig = t.Shown.TLS.Clone() // the transport adds to it
	}
	return client
}
