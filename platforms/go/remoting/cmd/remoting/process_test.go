package main

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"maps"
	"math/rand/v2"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"middlemark/pgtest"
)

func TestMain(m *testing.M) { os.Exit(pgtest.Run(m, "remoting")) }

// environment is the variables a process starts with.
type environment map[string]string

func (e environment) get(name string) string { return e[name] }

func (e environment) with(more environment) environment {
	both := maps.Clone(e)
	maps.Copy(both, more)
	return both
}

// running is a process that carries both roles, or one.
type running struct {
	t    *testing.T
	url  string
	in   environment
	stop func() error // ends it, as SIGTERM does, and waits
	log  *lockedBuffer
}

// places are free ports, and the addresses of a service on them.
func places(t *testing.T) environment {
	t.Helper()
	in := environment{"MM_SOCKET": filepath.Join(t.TempDir(), "socket")}
	in["MM_SERVICE_SOCKET"] = in["MM_SOCKET"]
	for port, address := range map[string]string{
		"MM_PORT": "MM_SERVICE_URL", "MM_HTTPS_PORT": "MM_SERVICE_HTTPS_URL", "MM_TCP_PORT": "MM_SERVICE_TCP",
		"MM_TCP_SOAP_PORT": "MM_SERVICE_TCP_SOAP", "MM_GRPC_PORT": "MM_SERVICE_GRPC", "MM_NATIVE_PORT": "MM_SERVICE_NATIVE",
	} {
		in[port] = strconv.Itoa(freePort(t))
		in[address] = "127.0.0.1:" + in[port]
	}
	in["MM_SERVICE_URL"] = "http://" + in["MM_SERVICE_URL"]
	in["MM_SERVICE_HTTPS_URL"] = "https://" + in["MM_SERVICE_HTTPS_URL"]
	return in
}

// start runs a process with both roles until the test ends, and waits until it is ready.
func start(t *testing.T, variables environment) *running {
	t.Helper()
	return launch(t, places(t).with(variables)).ready()
}

func launch(t *testing.T, in environment) *running {
	t.Helper()
	log := new(lockedBuffer)
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() { ended <- run(ctx, in.get, log) }()
	stop := sync.OnceValue(func() error {
		cancel()
		return <-ended
	})
	t.Cleanup(func() {
		if err := stop(); err != nil {
			t.Errorf("the process ended with %v\n%s", err, log)
		}
	})
	return &running{t: t, url: "http://127.0.0.1:" + in["MM_PORT"], in: in, stop: stop, log: log}
}

func (p *running) ready() *running {
	p.t.Helper()
	p.until("health is 200", func() bool {
		response, err := http.Get(p.url + "/health")
		if err != nil {
			return false
		}
		_ = response.Body.Close()
		return response.StatusCode == http.StatusOK
	})
	return p
}

// until waits for a condition, for as long as a slow machine may need.
func (p *running) until(what string, condition func() bool) {
	p.t.Helper()
	for deadline := time.Now().Add(20 * time.Second); !condition(); time.Sleep(10 * time.Millisecond) {
		if time.Now().After(deadline) {
			p.t.Fatalf("not in time: %s\n%s", what, p.log)
		}
	}
}

// answer is what a request gave.
type answer struct {
	status int
	header http.Header
	body   []byte
}

// code is the code of a refusal, the empty text of any other answer.
func (a answer) code() string {
	var refused struct{ Code string }
	_ = json.Unmarshal(a.body, &refused) // what is not JSON has none
	return refused.Code
}

func (p *running) call(protocol, operation, body string) answer {
	p.t.Helper()
	return p.send(http.MethodPost, "/call/"+protocol+"/"+operation, nil, []byte(body))
}

func (p *running) send(method, path string, header http.Header, body []byte) answer {
	p.t.Helper()
	request, err := http.NewRequestWithContext(p.t.Context(), method, p.url+path, bytes.NewReader(body))
	if err != nil {
		p.t.Fatal(err)
	}
	maps.Copy(request.Header, header)
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		p.t.Fatal(err)
	}
	defer func() { _ = response.Body.Close() }()
	text, err := io.ReadAll(response.Body)
	if err != nil {
		p.t.Fatal(err)
	}
	return answer{response.StatusCode, response.Header, text}
}

// mustBe fails unless an answer has a status, and a code unless that is empty.
func (a answer) mustBe(t *testing.T, status int, code string) {
	t.Helper()
	if a.status != status || a.code() != code {
		t.Errorf("the answer is %d %q, want %d %q\n%.300s", a.status, a.code(), status, code, a.body)
	}
}

// givenPorts are the ports that a test has got: none is given twice.
var givenPorts sync.Map

// freePort is a port nobody listens on, below those that the system gives to clients.
func freePort(t *testing.T) int {
	t.Helper()
	for range 1000 {
		port := 10_000 + rand.IntN(22_000)
		if _, given := givenPorts.LoadOrStore(port, true); given {
			continue
		}
		if listener, err := net.Listen("tcp", net.JoinHostPort("127.0.0.1", strconv.Itoa(port))); err == nil {
			_ = listener.Close() // only the number is wanted
			return port
		}
	}
	t.Fatal("no port is free")
	return 0
}

// lockedBuffer is a log that a test reads while the process writes.
type lockedBuffer struct {
	mu     sync.Mutex
	buffer strings.Builder
}

func (b *lockedBuffer) Write(text []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.buffer.Write(text)
}

func (b *lockedBuffer) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.buffer.String()
}
