package json_test

import (
	"errors"
	"log/slog"
	"net/http/httptest"
	"os"
	"testing"
	"time"

	"middlemark/brokerage"
	"middlemark/brokerage/exchange"
	"middlemark/brokerage/json"
	"middlemark/brokerage/pgtest"
	"middlemark/brokerage/postgres"
)

func TestMain(m *testing.M) { os.Exit(pgtest.Run(m)) }

// desk is the services over one binding, and the database behind them.
type desk struct {
	brokerage.Services
	*pgtest.Database
}

// eachBinding runs a test in process and over JSON, each with its own database.
func eachBinding(t *testing.T, test func(*testing.T, desk)) {
	t.Run("over local", func(t *testing.T) {
		database := pgtest.New(t)
		test(t, desk{local(t, database), database})
	})
	t.Run("over json", func(t *testing.T) {
		database := pgtest.New(t)
		server := httptest.NewServer(json.Handler(local(t, database), slog.New(slog.DiscardHandler)))
		t.Cleanup(server.Close)
		test(t, desk{json.NewClient(server.URL, exchange.NewTransport(8)), database})
	})
}

func local(t *testing.T, database *pgtest.Database) brokerage.Services {
	t.Helper()
	store, err := postgres.New(database.URL, 8, slog.New(slog.DiscardHandler))
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
