package postgres_test

import (
	"errors"
	"log/slog"
	"testing"
	"time"

	"middlemark/brokerage"
	"middlemark/brokerage/pgtest"
	"middlemark/brokerage/postgres"
)

func TestThePoolHasItsSizeFromTheStart(t *testing.T) {
	database := pgtest.New(t)
	store := open(t, database, 7)
	if err := store.Ready(t.Context()); err != nil {
		t.Error(err)
	}
	if got := database.Connections(); got != 7 {
		t.Errorf("there are %d connections", got)
	}
}

func TestTheStoreSurvivesARestartOfTheDatabase(t *testing.T) {
	database := pgtest.New(t)
	store, ctx := open(t, database, 5), t.Context()
	if _, err := store.Buy(ctx, "uid:1", "s:1", 1); err != nil {
		t.Fatal(err)
	}
	database.Stop()
	for range 10 {
		began := time.Now()
		_, err := store.Buy(ctx, "uid:1", "s:1", 1)
		if !errors.Is(err, brokerage.Unavailable) || time.Since(began) > 5*time.Second {
			t.Fatalf("without a database the order is refused with %v after %s", err, time.Since(began))
		}
		if err := store.Ready(ctx); err == nil {
			t.Fatal("without a database the store is ready")
		}
	}
	database.Start()
	until(t, "a request succeeds again", func() bool {
		_, err := store.GetAccount(ctx, "uid:1")
		return err == nil
	})
	for range 20 {
		if _, err := store.Buy(ctx, "uid:1", "s:1", 1); err != nil {
			t.Fatalf("after the restart an order is refused with %v", err)
		}
	}
	until(t, "the pool is full again", func() bool { return database.Connections() == 5 })
}

// When the server ends every connection between two requests, only those on the broken connections notice, and
// one of them is enough to renew all.
func TestOneBrokenConnectionRenewsTheRest(t *testing.T) {
	database := pgtest.New(t)
	store, ctx := open(t, database, 5), t.Context()
	database.Stop()
	database.Start()
	failed := 0
	for range 20 {
		if _, err := store.GetAccount(ctx, "uid:1"); err != nil {
			failed++
			if !errors.Is(err, brokerage.Unavailable) {
				t.Errorf("a request is refused with %v", err)
			}
		}
	}
	if failed > 1 {
		t.Errorf("%d requests failed", failed)
	}
}

func TestAStoreStartsBeforeItsDatabase(t *testing.T) {
	database := pgtest.New(t)
	database.Stop()
	store, err := postgres.New(database.URL, 3, slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(store.Close)
	opened := make(chan struct{})
	go func() {
		defer close(opened)
		store.Open(t.Context())
	}()
	if err := store.Ready(t.Context()); err == nil {
		t.Error("without a database the store is ready")
	}
	if _, err := store.GetAccount(t.Context(), "uid:1"); !errors.Is(err, brokerage.Unavailable) {
		t.Errorf("without a database a request is refused with %v", err)
	}
	database.Start()
	<-opened
	if err := store.Ready(t.Context()); err != nil {
		t.Error(err)
	}
}
