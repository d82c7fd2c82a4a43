package main

import (
	"context"
	"crypto/tls"
	"net"
	"os"
	"strconv"

	stdgrpc "google.golang.org/grpc"

	"middlemark/database"
	"middlemark/process"
	"middlemark/remoting/access"
	"middlemark/remoting/framed"
	"middlemark/remoting/grpc"
	"middlemark/remoting/messages"
	"middlemark/remoting/netrpc"
	"middlemark/remoting/settings"
	"middlemark/remoting/soap"
	"middlemark/remoting/sockets"
)

// opening opens listeners until one fails.
type opening struct {
	host   string
	opened []net.Listener
	err    error
}

func (o *opening) tcp(port int, encrypted *tls.Config) net.Listener {
	return o.kept(func() (net.Listener, error) {
		listener, err := process.Listen(o.host, port)
		if err != nil || encrypted == nil {
			return listener, err
		}
		return tls.NewListener(listener, encrypted), nil
	})
}

// unix listens on a socket; one that a killed process has left is removed.
func (o *opening) unix(path string) net.Listener {
	return o.kept(func() (net.Listener, error) {
		if found, err := os.Lstat(path); err == nil && found.Mode().Type() == os.ModeSocket {
			if err := os.Remove(path); err != nil {
				return nil, err
			}
		}
		return net.Listen("unix", path)
	})
}

func (o *opening) kept(open func() (net.Listener, error)) net.Listener {
	if o.err != nil {
		return nil
	}
	listener, err := open()
	if err != nil {
		o.err = err
		for _, before := range o.opened {
			_ = before.Close() // the process ends with the error
		}
		return nil
	}
	o.opened = append(o.opened, listener)
	return listener
}

// open opens everything on which the process listens. A protocol is offered only with an authentication that it knows.
func (a *application) open() ([]process.Part, error) {
	in, o := a.settings, &opening{host: a.settings.Host}
	over := []net.Listener{o.tcp(in.Port, nil)}
	if !in.Has(settings.Service) {
		return a.pages(over...), o.err
	}
	var encrypted *tls.Config
	if in.Identity != nil {
		encrypted = in.Identity.Server()
		over = append(over, o.tcp(in.HTTPSPort, encrypted))
	}
	calls := o.tcp(in.GRPCPort, nil) // gRPC encrypts by itself
	var parts []process.Part
	if in.Authentication != access.Password {
		parts = append(parts, part(framed.NewServer(a.store, a.guard, a.log), o.tcp(in.TCPPort, encrypted)))
	}
	if in.Authentication == access.None {
		native, err := netrpc.NewServer(a.store, a.log)
		if err != nil {
			return nil, err
		}
		parts = append(parts, part(native, o.tcp(in.NativePort, nil)))
		parts = append(parts, part(soap.NewServer(a.store, a.log), o.tcp(in.TCPSOAPPort, nil)))
		if in.Socket != "" {
			parts = append(parts, part(framed.NewServer(a.store, a.guard, a.log), o.unix(in.Socket)))
		}
	}
	if o.err != nil {
		return nil, o.err
	}
	parts = append(parts, callsPart(grpc.NewServer(a.store, a.guard, in.Identity, a.log), calls))
	return append(parts, a.pages(over...)...), nil
}

func part(server *sockets.Server, listener net.Listener) process.Part {
	return process.Part{Serve: func() error { return server.Serve(listener) }, Stop: server.Stop}
}

// callsPart stops to accept calls over gRPC and finishes those under way.
func callsPart(server *stdgrpc.Server, listener net.Listener) process.Part {
	return process.Part{
		Serve: func() error { return server.Serve(listener) },
		Stop: func(ctx context.Context) bool {
			finished := make(chan struct{})
			go func() {
				server.GracefulStop()
				close(finished)
			}()
			select {
			case <-finished:
				return true
			case <-ctx.Done():
				server.Stop()
				return false
			}
		},
	}
}

// notDefault lists what differs from the defaults of pgx, of gRPC's server, and of the clients of the service.
func (a *application) notDefault() (list []process.NotDefault) {
	if a.store != nil {
		list = append(list, database.NotDefault("MM_DATABASE_POOL", a.settings.DatabasePool)...)
		list = append(list, process.NotDefault{
			What: "grpc.InTapHandle, deadline of a call", Value: messages.CallLimit.String(), Why: "a request that does not arrive ends",
		})
	}
	if a.client == nil {
		return list
	}
	return append(list,
		process.NotDefault{What: "time-out of a call", Value: messages.CallLimit.String(), Why: "the specification's"},
		process.NotDefault{What: "http.Transport MaxConnsPerHost", Value: strconv.Itoa(1), Why: "each user of the client has one connection"},
		process.NotDefault{What: "grpc.ConnectParams MaxDelay", Value: grpc.ReconnectLimit.String(), Why: "a service that is back is found soon"},
	)
}
