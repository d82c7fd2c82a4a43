package main

import (
	"bytes"
	"context"
	"io"
	"maps"
	"math/rand/v2"
	"net"
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"os"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"middlemark/pgtest"
)

func TestMain(m *testing.M) {
	if os.Getenv(ownProcess) != "" {
		main()
	}
	os.Exit(pgtest.Run(m, "brokerage"))
}

// environment is the variables a process starts with.
type environment map[string]string

func (e environment) get(name string) string { return e[name] }

func (e environment) with(more environment) environment {
	both := maps.Clone(e)
	maps.Copy(both, more)
	return both
}

// process is a running application.
type running struct {
	t      *testing.T
	url    string
	calls  string       // where gRPC is offered
	stop   func() error // ends it, as SIGTERM does, and waits
	log    *lockedBuffer
	client *http.Client
}

// start runs the application until the test ends; it does not wait until it is ready.
func start(t *testing.T, variables environment) *running {
	t.Helper()
	port, grpcPort := freePort(t), freePort(t)
	log := new(lockedBuffer)
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() {
		ended <- run(ctx, environment{"MM_PORT": strconv.Itoa(port), "MM_GRPC_PORT": strconv.Itoa(grpcPort)}.with(variables).get, log)
	}()
	stop := sync.OnceValue(func() error {
		cancel()
		return <-ended
	})
	t.Cleanup(func() {
		if err := stop(); err != nil {
			t.Errorf("the process ended with %v\n%s", err, log)
		}
	})
	p := &running{t: t, url: localURL(port), calls: localURL(grpcPort), stop: stop, log: log}
	p.client = p.browser()
	return p
}

func localURL(port int) string { return "http://127.0.0.1:" + strconv.Itoa(port) }

// at is where the services are offered over a binding.
func (p *running) at(binding string) string {
	if binding == "grpc" {
		return p.calls
	}
	return p.url
}

// ready waits until /health says ok.
func (p *running) ready() *running {
	p.t.Helper()
	p.until("health is 200", func() bool { return p.status("/health") == http.StatusOK })
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

// status is the status of a GET, 0 without an answer.
func (p *running) status(path string) int {
	response, err := http.Get(p.url + path)
	if err != nil {
		return 0
	}
	defer func() { _ = response.Body.Close() }()
	return response.StatusCode
}

// browser is a client that keeps cookies and follows no redirects.
func (p *running) browser() *http.Client {
	jar, err := cookiejar.New(nil)
	if err != nil {
		p.t.Fatal(err)
	}
	return &http.Client{
		Jar:           jar,
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
}

// answer is what a page's request gave.
type answer struct {
	status int
	header http.Header
	body   string
}

func (p *running) get(client *http.Client, path string) answer {
	p.t.Helper()
	response, err := client.Get(p.url + path)
	return p.answer(response, err)
}

func (p *running) post(client *http.Client, path string, form map[string]string) answer {
	p.t.Helper()
	values := url.Values{}
	for name, value := range form {
		values.Set(name, value)
	}
	response, err := client.PostForm(p.url+path, values)
	return p.answer(response, err)
}

func (p *running) answer(response *http.Response, err error) answer {
	p.t.Helper()
	if err != nil {
		p.t.Fatal(err)
	}
	defer func() { _ = response.Body.Close() }()
	body, err := io.ReadAll(response.Body)
	if err != nil {
		p.t.Fatal(err)
	}
	return answer{status: response.StatusCode, header: response.Header, body: string(body)}
}

// login is a browser in which the user is logged in.
func (p *running) login(userID string) *http.Client {
	p.t.Helper()
	client := p.browser()
	if got := p.post(client, "/login", map[string]string{"user_id": userID, "password": "xxx"}); got.status != 303 {
		p.t.Fatalf("login of %s: %d\n%s", userID, got.status, got.body)
	}
	return client
}

func (a answer) mustHave(t *testing.T, status int, texts ...string) {
	t.Helper()
	if a.status != status {
		t.Fatalf("the status is %d, want %d\n%s", a.status, status, a.body)
	}
	for _, text := range texts {
		if !strings.Contains(a.body, text) {
			t.Errorf("%q is not in\n%s", text, a.body)
		}
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
	buffer bytes.Buffer
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

// bindings are the ways in which every page is tested.
var bindings = append([]string{"local"}, remoteBindings...)

var remoteBindings = []string{"soap", "json", "grpc"}
