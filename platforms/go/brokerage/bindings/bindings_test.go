// Package bindings_test holds the clients and the servers of every binding against each other.
package bindings_test

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	"middlemark/brokerage"
	"middlemark/brokerage/grpc"
	"middlemark/brokerage/json"
	"middlemark/brokerage/soap"
	"middlemark/exchange"
	"middlemark/refusals"
)

var silent = slog.New(slog.DiscardHandler)

// bindings are those that go over a network.
var bindings = []string{"soap", "json", "grpc"}

// offer offers services over a binding until the test ends.
func offer(t *testing.T, binding string, services brokerage.Services, listener net.Listener, log *slog.Logger) {
	t.Helper()
	if binding == "grpc" {
		server := grpc.NewServer(services, log)
		go func() { _ = server.Serve(listener) }() // the calls tell what goes wrong
		t.Cleanup(server.Stop)
		return
	}
	mux := http.NewServeMux()
	json.Offer(mux, services, log)
	soap.Offer(mux, services, log)
	server := &http.Server{Handler: mux, ReadHeaderTimeout: time.Minute}
	go func() { _ = server.Serve(listener) }() // as above
	t.Cleanup(func() { _ = server.Close() })
}

// client calls services over a binding, at most calls at the same time.
func client(t *testing.T, binding string, address net.Addr, calls int) brokerage.Services {
	t.Helper()
	url := "http://" + address.String()
	switch binding {
	case "soap":
		return soap.NewClient(url, exchange.NewClient(calls))
	case "json":
		return json.NewClient(url, exchange.NewClient(calls))
	}
	called, err := grpc.NewClient(url, calls)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(called.Close)
	return called
}

func listen(t *testing.T) net.Listener {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = listener.Close() }) // a server may have closed it
	return listener
}

// refusing is services that refuse to read an account.
type refusing struct {
	brokerage.Services
	err error
}

func (r refusing) GetAccount(context.Context, string) (brokerage.Account, error) {
	return brokerage.Account{UserID: "half"}, r.err
}

func TestARefusalComesBackAsItWasTold(t *testing.T) {
	const message = `The words of "Ünï" <&> 'Code'.`
	for _, binding := range bindings {
		for _, code := range []refusals.Code{
			refusals.InvalidInput, refusals.AuthenticationFailed, brokerage.UnknownUser, brokerage.UnknownSymbol,
			brokerage.UnknownHolding, brokerage.UserExists, brokerage.InsufficientFunds, brokerage.AlreadyBeingSold,
			refusals.Unavailable, refusals.Internal,
		} {
			t.Run(string(code)+" over "+binding, func(t *testing.T) {
				listener := listen(t)
				offer(t, binding, refusing{err: refusals.New(code, message)}, listener, silent)
				account, err := client(t, binding, listener.Addr(), 1).GetAccount(t.Context(), "uid:1")
				if !errors.Is(err, code) || refusals.Of(err).Message != message || account != (brokerage.Account{}) {
					t.Errorf("the caller reads %+v, %v", account, err)
				}
			})
		}
	}
}

func TestAnErrorThatIsNoRefusalIsLoggedAndNotTold(t *testing.T) {
	for _, binding := range bindings {
		t.Run("over "+binding, func(t *testing.T) {
			log := new(bytes.Buffer)
			listener := listen(t)
			broken := refusing{err: errors.New("relation accounts does not exist")}
			offer(t, binding, broken, listener, slog.New(slog.NewTextHandler(log, nil)))
			_, err := client(t, binding, listener.Addr(), 1).GetAccount(t.Context(), "uid:1")
			if refusal := refusals.Of(err); refusal.Code != refusals.Internal || strings.Contains(refusal.Message, "relation") {
				t.Errorf("the caller reads %v", err)
			}
			if !strings.Contains(log.String(), "relation accounts") {
				t.Errorf("the log is %q", log)
			}
		})
	}
}

// panicking is services in which an operation fails in a way that nobody has foreseen.
type panicking struct{ brokerage.Services }

func (panicking) GetAccount(context.Context, string) (brokerage.Account, error) { panic("broken") }

// Over HTTP the whole process answers a panic, see cmd/brokerage.
func TestACallOverGRPCThatPanicsIsAnsweredAndLogged(t *testing.T) {
	log := new(bytes.Buffer)
	listener := listen(t)
	offer(t, "grpc", panicking{}, listener, slog.New(slog.NewTextHandler(log, nil)))
	_, err := client(t, "grpc", listener.Addr(), 1).GetAccount(t.Context(), "uid:1")
	if !errors.Is(err, refusals.Internal) {
		t.Errorf("the call gave %v", err)
	}
	if !strings.Contains(log.String(), "panic: broken") || !strings.Contains(log.String(), "panicking.GetAccount") {
		t.Errorf("the log is %q", log)
	}
}
