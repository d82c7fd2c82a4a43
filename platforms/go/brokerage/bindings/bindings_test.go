package bindings_test

import (
	"errors"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"testing"
	"time"

	"middlemark/brokerage"
	"middlemark/brokerage/exchange"
	"middlemark/brokerage/grpc"
	"middlemark/brokerage/json"
	"middlemark/brokerage/pgtest"
	"middlemark/brokerage/postgres"
	"middlemark/brokerage/soap"
)

func TestMain(m *testing.M) { os.Exit(pgtest.Run(m)) }

// desk is the services over one binding, and the database behind them.
type desk struct {
	brokerage.Services
	*pgtest.Database
}

// eachBinding runs a test in process and over every binding, each with its own database.
func eachBinding(t *testing.T, test func(*testing.T, desk)) {
	for name, connect := range map[string]func(*testing.T, brokerage.Services) brokerage.Services{
		"local": func(_ *testing.T, own brokerage.Services) brokerage.Services { return own },
		"soap":  overSOAP,
		"json":  overJSON,
		"grpc":  overGRPC,
	} {
		t.Run("over "+name, func(t *testing.T) {
			t.Parallel()
			database := pgtest.New(t)
			test(t, desk{connect(t, local(t, database)), database})
		})
	}
}

var silent = slog.New(slog.DiscardHandler)

// overSOAP checks what is asked first, as the web tier does: XML cannot carry every character that is to be refused.
func overSOAP(t *testing.T, own brokerage.Services) brokerage.Services {
	return brokerage.Checked{Services: soap.NewClient(serve(t, soap.Handler(own, silent)), exchange.NewTransport(8))}
}

func overJSON(t *testing.T, own brokerage.Services) brokerage.Services {
	return json.NewClient(serve(t, json.Handler(own, silent)), exchange.NewTransport(8))
}

func serve(t *testing.T, handler http.Handler) string {
	server := httptest.NewServer(handler)
	t.Cleanup(server.Close)
	return server.URL
}

func overGRPC(t *testing.T, own brokerage.Services) brokerage.Services {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	must(t, err)
	server := grpc.NewServer(own, silent)
	go func() { _ = server.Serve(listener) }() // the calls tell what goes wrong
	t.Cleanup(server.Stop)
	client := grpc.NewClient("http://"+listener.Addr().String(), 8)
	t.Cleanup(client.Close)
	return client
}

func local(t *testing.T, database *pgtest.Database) brokerage.Services {
	t.Helper()
	store, err := postgres.New(database.URL, 8, silent)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(store.Close)
	store.Open(t.Context())
	return brokerage.Checked{Services: store}
}

// mustBe fails unless err is refused with the code and, where one is given, the message.
func mustBe(t *testing.T, err error, code brokerage.Code, message ...string) {
	t.Helper()
	if !errors.Is(err, code) {
		t.Fatalf("the error is %v, want %s", err, code)
	}
	if len(message) > 0 && brokerage.AsRefusal(err).Message != message[0] {
		t.Errorf("the message is %q, want %q", brokerage.AsRefusal(err).Message, message[0])
	}
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func mustBeNow(t *testing.T, what string, instant brokerage.Instant) {
	t.Helper()
	if age := time.Since(instant.Time()); age < 0 || age > time.Minute {
		t.Errorf("%s is %s, %s ago", what, instant, age)
	}
}

// newUser registers a user with an opening balance.
func (d desk) newUser(t *testing.T, userID string, openBalance brokerage.Cents) brokerage.Account {
	t.Helper()
	account, err := d.Register(t.Context(), brokerage.Registration{
		Profile: brokerage.Profile{
			UserID: userID, FullName: "Ünï <b>Code</b>", Address: "", Email: "a@b&c", CreditCard: "4000",
		},
		Password: "secret", OpenBalance: openBalance,
	})
	must(t, err)
	return account
}
