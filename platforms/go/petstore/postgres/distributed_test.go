package postgres

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5/pgxpool"

	"middlemark/database"
	"middlemark/petstore"
	"middlemark/pgtest"
	"middlemark/refusals"
)

func TestMain(m *testing.M) { os.Exit(pgtest.Run(m, "petstore", "catalog", "orders")) }

// shop is a store over databases of its own.
type shop struct {
	*Store
	catalogDB, ordersDB *pgtest.Database
}

func open(t *testing.T) shop {
	t.Helper()
	s := shop{catalogDB: pgtest.NewOf(t, "catalog"), ordersDB: pgtest.NewOf(t, "orders")}
	s.Store = New(pool(t, s.catalogDB), pool(t, s.ordersDB), time.Hour, slog.New(slog.DiscardHandler))
	t.Cleanup(func() { // a prepared transaction keeps its database from being dropped
		for _, d := range []*pgtest.Database{s.catalogDB, s.ordersDB} {
			for d.Text(prepared) != "0" {
				d.Exec("ROLLBACK PREPARED '" + d.Text(`SELECT min(gid) FROM pg_prepared_xacts WHERE database = current_database()`) + "'")
			}
		}
	})
	return s
}

func pool(t *testing.T, d *pgtest.Database) *pgxpool.Pool {
	t.Helper()
	pool, err := database.NewPool(d.URL, 5)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(pool.Close)
	return pool
}

const (
	prepared = `SELECT count(*) FROM pg_prepared_xacts WHERE database = current_database()`
	taken    = `SELECT sum(1000000 - quantity) FROM inventory`
	placed   = `SELECT count(*) FROM orders WHERE order_id > 20`
)

func anOrder() petstore.Order { return anOrderOf("i:9-0") }

func anOrderOf(itemID string) petstore.Order {
	address := petstore.Address{FirstName: "Ada"}
	return petstore.Order{
		Key: uuid.NewString(), UserID: "user:1", Card: petstore.Card{Type: "Visa"}, Billing: address, Shipping: address,
		Lines: []petstore.Line{{ItemID: itemID, Number: 1, Quantity: 2, Price: 11_75}},
	}
}

func (s shop) mustHave(t *testing.T, takenPieces, placedOrders string) {
	t.Helper()
	if got, orders := s.catalogDB.Text(taken), s.ordersDB.Text(placed); got != takenPieces || orders != placedOrders {
		t.Errorf("%s pieces are taken and %s orders placed, want %s and %s", got, orders, takenPieces, placedOrders)
	}
	if catalog, orders := s.catalogDB.Text(prepared), s.ordersDB.Text(prepared); catalog != "0" || orders != "0" {
		t.Errorf("%s transactions are prepared in the catalog, %s in orders", catalog, orders)
	}
}

func TestAnOrderIsInBothDatabases(t *testing.T) {
	s := open(t)
	order, err := s.Place(t.Context(), anOrder())
	if err != nil || order.ID != 21 || order.Total != 23_50 {
		t.Fatalf("the order is %+v, %v", order, err)
	}
	s.mustHave(t, "2", "1")
	if err := s.forget(t.Context()); err != nil || s.ordersDB.Text(`SELECT count(*) FROM decisions`) != "0" {
		t.Errorf("the decision is not forgotten: %v", err)
	}
}

// half leaves a transaction prepared as a coordinator does that is killed before its decision, or after it.
func (s shop) half(t *testing.T, inCatalog, inOrders bool, order petstore.Order, decision string) (id string) {
	t.Helper()
	id = idPrefix + uuid.NewString()
	ctx := context.WithoutCancel(t.Context())
	order.Date = time.Now()
	for _, b := range []struct {
		pool  *pgxpool.Pool
		name  string
		wants bool
		do    work
	}{
		{s.catalog, catalogBranch, inCatalog, func(ctx context.Context, tx *pgxpool.Conn) error { return takeInventory(ctx, tx, order.Lines) }},
		{s.orders, ordersBranch, inOrders, func(ctx context.Context, tx *pgxpool.Conn) error { return insert(ctx, tx, &order) }},
	} {
		if !b.wants {
			continue
		}
		err := branch(ctx, b.pool, b.do, func(tx *pgxpool.Conn) error { return prepare(ctx, tx, id+b.name) })
		if err != nil {
			t.Fatal(err)
		}
	}
	if decision != "" {
		if _, err := s.decide(ctx, id, decision, s.orders); err != nil {
			t.Fatal(err)
		}
	}
	return id
}

// Each waits for the inventory on a connection: who has taken it must not need another one to let it go.
func TestMoreOrdersOfOneItemThanConnectionsAreAllPlaced(t *testing.T) {
	s := open(t)
	var orders sync.WaitGroup
	for range 20 {
		orders.Go(func() {
			if _, err := s.Place(t.Context(), anOrder()); err != nil {
				t.Error(err)
			}
		})
	}
	orders.Wait()
	s.mustHave(t, "40", "20")
}

func TestRecoveryFinishesWhatACoordinatorHasLeft(t *testing.T) {
	for _, c := range []struct {
		sentence            string
		inCatalog, inOrders bool
		decision            string
		taken, placed       string
	}{
		{"killed before its decision", true, true, "", "0", "0"},
		{"killed when one branch was prepared", true, false, "", "0", "0"},
		{"killed after its decision", true, true, committed, "2", "1"},
	} {
		t.Run(c.sentence, func(t *testing.T) {
			s := open(t)
			s.doubtAge = 0
			s.half(t, c.inCatalog, c.inOrders, anOrder(), c.decision)
			if err := s.recoverOnce(t.Context()); err != nil {
				t.Fatal(err)
			}
			s.mustHave(t, c.taken, c.placed)
		})
	}
}

func TestRecoveryLeavesYoungAndForeignTransactionsAlone(t *testing.T) {
	s := open(t)
	s.half(t, true, true, anOrder(), "")
	foreign := s.catalogDB.Connect()
	if _, err := foreign.Exec(t.Context(), `BEGIN`); err != nil {
		t.Fatal(err)
	}
	if _, err := foreign.Exec(t.Context(), `PREPARE TRANSACTION 'another'`); err != nil {
		t.Fatal(err)
	}
	if err := s.recoverOnce(t.Context()); err != nil || s.catalogDB.Text(prepared) != "2" {
		t.Errorf("%s transactions are left prepared, %v", s.catalogDB.Text(prepared), err)
	}
	s.doubtAge = 0
	if err := s.recoverOnce(t.Context()); err != nil || s.catalogDB.Text(prepared) != "1" {
		t.Errorf("%s transactions are left prepared, %v", s.catalogDB.Text(prepared), err)
	}
}

// Without the fence the coordinator's commit would find one branch rolled back and commit the other.
func TestACoordinatorThatWasStoppedForLongFindsTheDecisionOfRecovery(t *testing.T) {
	s := open(t)
	s.doubtAge = 0
	id := s.half(t, true, false, anOrder(), "")
	if err := s.recoverOnce(t.Context()); err != nil {
		t.Fatal(err)
	}
	if err := s.forget(t.Context()); err != nil {
		t.Fatal(err)
	}
	if outcome, err := s.decide(t.Context(), id, committed, s.orders); err != nil || outcome != aborted {
		t.Errorf("the late coordinator decides %s, %v", outcome, err)
	}
}

func TestTwoRecoveriesAtOnceAgree(t *testing.T) {
	s := open(t)
	s.doubtAge = 0
	for i := range 10 {
		s.half(t, true, true, anOrderOf(fmt.Sprintf("i:%d-0", i)), committed)
	}
	var both sync.WaitGroup
	for range 2 {
		both.Go(func() {
			if err := s.recoverOnce(t.Context()); err != nil {
				t.Error(err)
			}
		})
	}
	both.Wait()
	s.mustHave(t, "20", "10")
}

func TestADatabaseThatIsAwayTakesNothingFromTheOther(t *testing.T) {
	s := open(t)
	s.ordersDB.Stop()
	if _, err := s.Place(t.Context(), anOrder()); !errors.Is(err, refusals.Unavailable) {
		t.Errorf("the order ends with %v", err)
	}
	s.ordersDB.Start()
	s.mustHave(t, "0", "0")
}

func TestOutOfStockIsToldAndNothingIsPrepared(t *testing.T) {
	s := open(t)
	order := anOrder()
	order.Lines = append(order.Lines, petstore.Line{ItemID: "i:99-0", Number: 2, Quantity: 1_000_001, Price: 1})
	if _, err := s.Place(t.Context(), order); !errors.Is(err, petstore.OutOfStock) {
		t.Errorf("the order ends with %v", err)
	}
	s.mustHave(t, "0", "0")
}
