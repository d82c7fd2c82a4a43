package postgres_test

import (
	"context"
	"log/slog"
	"os"
	"testing"
	"time"

	"middlemark/brokerage/postgres"
	"middlemark/pgtest"
)

func TestMain(m *testing.M) { os.Exit(pgtest.Run(m, "brokerage")) }

func open(t *testing.T, database *pgtest.Database, size int) *postgres.Store {
	t.Helper()
	store, err := postgres.New(database.URL, size, slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(store.Close)
	return store
}

// A rival locks the quote, then wants the account that the order has locked: a deadlock. The rival is the one who would
// wait longer before looking for deadlocks, so PostgreSQL ends the order's transaction.
func TestAnOrderSurvivesARealDeadlock(t *testing.T) {
	database := pgtest.New(t)
	store, ctx := open(t, database, 2), t.Context()
	rival := database.Connect()
	mustExec := func(sql string) {
		t.Helper()
		if _, err := rival.Exec(ctx, sql); err != nil {
			t.Fatal(err)
		}
	}
	mustExec(`SET deadlock_timeout = '1min'`)
	mustExec(`BEGIN`)
	mustExec(`SELECT FROM quotes WHERE symbol = 's:1' FOR UPDATE`)
	ended := make(chan error, 1)
	go func() {
		_, err := store.Buy(ctx, "uid:1", "s:1", 1)
		ended <- err
	}()
	database.AwaitBlocked(1)
	mustExec(`UPDATE accounts SET logout_count = 7 WHERE user_id = 'uid:1'`)
	mustExec(`COMMIT`)
	if err := <-ended; err != nil {
		t.Errorf("the order is refused with %v", err)
	}
	deadlocks := `SELECT deadlocks FROM pg_stat_database WHERE datname = current_database()`
	until(t, "PostgreSQL has counted the deadlock", func() bool { return database.Text(deadlocks) != "0" })
}

// Nobody can see such an order open, so that writing it open first would be for nothing.
func TestAnOrderCompletedAtOnceIsWrittenOnce(t *testing.T) {
	database := pgtest.New(t)
	store := open(t, database, 1)
	if _, err := store.Buy(t.Context(), "uid:1", "s:1", 1); err != nil {
		t.Fatal(err)
	}
	const written = `SELECT n_tup_ins || ' ' || n_tup_upd FROM pg_stat_user_tables WHERE relname = 'orders'`
	store.Close() // a session that ends has its counts added
	until(t, "PostgreSQL has counted one row, never updated", func() bool { return database.Text(written) == "1 0" })
}

func TestACallerWhoHangsUpCostsNoConnection(t *testing.T) {
	database := pgtest.New(t)
	store := open(t, database, 1)
	const pid = `SELECT max(pid) FROM pg_stat_activity WHERE application_name = 'middlemark-go' AND datname = current_database()`
	if _, err := store.GetAccount(t.Context(), "uid:1"); err != nil {
		t.Fatal(err)
	}
	before := database.Text(pid)
	ctx, hangUp := context.WithCancel(t.Context())
	hangUp()
	if _, err := store.GetAccount(ctx, "uid:1"); err != nil {
		t.Fatal(err)
	}
	if after := database.Text(pid); after != before {
		t.Error("the connection was replaced")
	}
}

// until waits for a condition, for as long as a slow machine may need.
func until(t *testing.T, what string, condition func() bool) {
	t.Helper()
	for deadline := time.Now().Add(20 * time.Second); !condition(); time.Sleep(10 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("not in time: %s", what)
		}
	}
}
