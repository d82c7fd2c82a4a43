package main

import (
	"net"
	"net/http"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"middlemark/pgtest"
	"middlemark/remoting/access"
	"middlemark/remoting/settings"
)

// relay stands between a client and a service. When it is armed it lets one request through and cuts its connection before
// the answer.
type relay struct {
	net.Listener
	target string

	mu        sync.Mutex
	performed func() bool // what the request asks for is done: the next bytes of the service are lost; nil: not armed
}

// newRelay stands before an address: host:port, or the path of a socket.
func newRelay(t *testing.T, target string) *relay {
	t.Helper()
	network, address := "tcp", "127.0.0.1:0"
	if filepath.IsAbs(target) {
		network, address = "unix", filepath.Join(t.TempDir(), "relay")
	}
	listener, err := net.Listen(network, address)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = listener.Close() }) // nobody needs it any more
	r := &relay{Listener: listener, target: target}
	go r.serve(network)
	return r
}

func (r *relay) serve(network string) {
	for {
		client, err := r.Accept()
		if err != nil {
			return
		}
		service, err := net.Dial(network, r.target)
		if err != nil {
			_ = client.Close() // the client sees it
			continue
		}
		go r.pass(client, service, func() bool { return true })
		go r.pass(service, client, r.spared)
	}
}

// pass hands bytes on until keep refuses some, or either side closes.
func (r *relay) pass(from, to net.Conn, keep func() bool) {
	defer func() { _, _ = from.Close(), to.Close() }() // one side has gone
	buffer := make([]byte, 64<<10)
	for {
		n, err := from.Read(buffer)
		if err != nil || !keep() {
			return
		}
		if _, err := to.Write(buffer[:n]); err != nil {
			return
		}
	}
}

func (r *relay) spared() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.performed == nil || !r.performed() {
		return true
	}
	r.performed = nil
	return false
}

func (r *relay) arm(performed func() bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.performed = performed
}

// addressOf is the setting with the address that a protocol calls.
func addressOf(protocol string) string {
	switch protocol {
	case "grpc":
		return "MM_SERVICE_GRPC"
	case "net-rpc":
		return "MM_SERVICE_NATIVE"
	case "json", "soap", "http-protobuf":
		return "MM_SERVICE_URL"
	}
	return frameAddresses[protocol]
}

func TestACallWhoseAnswerIsLostIsUnavailableAndNotSentTwice(t *testing.T) {
	for _, connections := range []string{settings.Shared, settings.Unshared} {
		for _, protocol := range offering(access.None)[1:] { // local has no connection
			t.Run(protocol+" "+connections, func(t *testing.T) {
				database := pgtest.New(t)
				in := places(t).with(environment{"MM_DATABASE_URL": database.URL, "MM_CONNECTIONS": connections})
				service := launch(t, in.with(environment{"MM_ROLE": settings.Service})).ready()
				address, scheme := in[addressOf(protocol)], ""
				if addressOf(protocol) == "MM_SERVICE_URL" {
					scheme = "http://"
				}
				between := newRelay(t, address[len(scheme):])
				caller := launch(t, in.with(onlyClient(t)).with(environment{addressOf(protocol): scheme + between.Addr().String()}))
				caller.listening()
				caller.call(protocol, "ping", "").mustBe(t, http.StatusOK, "")
				between.arm(func() bool { return database.Text(`SELECT count(*) FROM orders`) == "1" })
				caller.call(protocol, "storeOrder", "").mustBe(t, http.StatusServiceUnavailable, "unavailable")
				caller.call(protocol, "storeOrder", "").mustBe(t, http.StatusOK, "")
				if err := service.stop(); err != nil { // what it has begun is done now
					t.Error(err)
				}
				if stored := database.Text(`SELECT count(*) FROM orders`); stored != "2" {
					t.Errorf("%s orders are stored, want 2", stored)
				}
			})
		}
	}
}

func TestACallWithoutAnAnswerIsUnavailableAfterTenSeconds(t *testing.T) {
	t.Parallel() // it waits for ten seconds
	in, protocols := onlyClient(t), offering(access.None)[1:]
	for _, protocol := range protocols {
		address := addressOf(protocol)
		switch address {
		case "MM_SERVICE_SOCKET":
			in[address] = silent(t, "unix", filepath.Join(t.TempDir(), "silent"))
		case "MM_SERVICE_URL":
			in[address] = "http://" + silent(t, "tcp", "127.0.0.1:0")
		default:
			in[address] = silent(t, "tcp", "127.0.0.1:0")
		}
	}
	caller := launch(t, in)
	caller.listening()
	var calls sync.WaitGroup
	begin := time.Now()
	for _, protocol := range protocols {
		calls.Go(func() {
			got := caller.call(protocol, "ping", "")
			got.mustBe(t, http.StatusServiceUnavailable, "unavailable")
			if took := time.Since(begin); took < 9*time.Second || took > 14*time.Second {
				t.Errorf("over %s it is answered after %v", protocol, took)
			}
		})
	}
	calls.Wait()
}

// silent is the address of a listener that accepts connections and answers nothing: only the kernel knows of them.
func silent(t *testing.T, network, address string) string {
	t.Helper()
	listener, err := net.Listen(network, address)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = listener.Close() }) // the test has its answers
	return listener.Addr().String()
}

func TestAKeptConnectionThatTheServiceHasClosedIsMadeAnew(t *testing.T) {
	database := pgtest.New(t)
	in := places(t).with(environment{"MM_DATABASE_URL": database.URL})
	service := launch(t, in.with(environment{"MM_ROLE": settings.Service})).ready()
	caller := launch(t, in.with(onlyClient(t))).ready()
	protocols := offering(access.None)[1:]
	for _, protocol := range protocols {
		caller.call(protocol, "ping", "").mustBe(t, http.StatusOK, "")
	}
	if err := service.stop(); err != nil {
		t.Fatal(err)
	}
	launch(t, in.with(environment{"MM_ROLE": settings.Service})).ready()
	for _, protocol := range protocols {
		if protocol == "grpc" { // its library may still wait before it connects again
			caller.until("gRPC is connected again", func() bool { return caller.call(protocol, "ping", "").status == http.StatusOK })
		}
		caller.call(protocol, "storeOrder", "").mustBe(t, http.StatusOK, "")
	}
	if stored := database.Text(`SELECT count(*) FROM orders`); stored != "8" {
		t.Errorf("%s orders are stored, want 8", stored)
	}
}
