package processing_test

import (
	"context"
	"fmt"
	"log/slog"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"middlemark/brokerage/postgres"
	"middlemark/brokerage/processing"
	"middlemark/pgtest"
)

func TestMain(m *testing.M) { os.Exit(pgtest.Run(m, "brokerage")) }

// queueing is a store that leaves orders to a processor.
func queueing(t *testing.T, database *pgtest.Database) *postgres.Store {
	t.Helper()
	store, err := postgres.New(database.URL, 5, slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(store.Close)
	store.QueueOrders(true)
	return store
}

// usual are a processor's settings in most tests.
func usual() processing.Options {
	return processing.Options{
		Batch: 5, Concurrency: 4, Look: 100 * time.Millisecond, Limit: 15 * time.Second, Log: slog.New(slog.DiscardHandler),
	}
}

// running runs a processor in a store of its own until the test ends, or stop is called.
func running(t *testing.T, database *pgtest.Database, options processing.Options) (stop func()) {
	t.Helper()
	processor := processing.New(queueing(t, database), options)
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		processor.Run(ctx)
	}()
	stop = sync.OnceFunc(func() {
		cancel()
		<-ended
	})
	t.Cleanup(stop)
	return stop
}

func place(t *testing.T, store *postgres.Store, n int) {
	t.Helper()
	var clients sync.WaitGroup
	for client := range 4 {
		clients.Go(func() {
			for i := client; i < n; i += 4 {
				user, symbol := fmt.Sprintf("uid:%d", i%7), fmt.Sprintf("s:%d", i%5)
				if _, err := store.Buy(context.Background(), user, symbol, 1); err != nil {
					t.Errorf("order %d: %v", i, err)
				}
			}
		})
	}
	clients.Wait()
}

func until(t *testing.T, what string, condition func() bool) {
	t.Helper()
	for deadline := time.Now().Add(30 * time.Second); !condition(); time.Sleep(10 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("not in time: %s", what)
		}
	}
}

const messages = `SELECT count(*) FROM order_messages`

// mustBeCompletedOnce holds what must be true when n orders of 1 share have been completed.
func mustBeCompletedOnce(t *testing.T, database *pgtest.Database, n int) {
	t.Helper()
	until(t, "the queue is empty", func() bool { return database.Text(messages) == "0" })
	for what, sql := range map[string]string{
		"orders are closed":        `SELECT count(*) FROM orders WHERE order_id > 250 AND status = 'closed'`,
		"holdings are there":       `SELECT count(*) FROM holdings WHERE holding_id > 250`,
		"orders have their own":    `SELECT count(DISTINCT holding_id) FROM orders WHERE order_id > 250`,
		"trades have been counted": `SELECT sum(trades) FROM quotes`,
		"shares have been traded":  `SELECT sum(volume) - (SELECT sum(quantity) FROM orders WHERE order_id <= 250) FROM quotes`,
	} {
		if got := database.Text(sql); got != fmt.Sprint(n) {
			t.Errorf("%s %s, want %d", got, what, n)
		}
	}
}

func TestSeveralProcessorsCompleteEveryOrderOnce(t *testing.T) {
	database := pgtest.New(t)
	store := queueing(t, database)
	place(t, store, 100) // before there is a processor
	for range 3 {
		running(t, database, usual())
	}
	place(t, store, 300)
	mustBeCompletedOnce(t, database, 400)
	if deadlocks := database.Text(`SELECT deadlocks FROM pg_stat_database WHERE datname = current_database()`); deadlocks != "0" {
		t.Errorf("there were %s deadlocks", deadlocks)
	}
}

func TestANotificationWakesAProcessorAtOnce(t *testing.T) {
	database := pgtest.New(t)
	store := queueing(t, database)
	seldom := usual()
	seldom.Look = time.Hour
	running(t, database, seldom)
	until(t, "it listens", func() bool {
		return database.Text(`SELECT count(*) FROM pg_stat_activity WHERE query = 'LISTEN order_messages'
			AND datname = current_database() AND state = 'idle'`) == "1"
	})
	place(t, store, 20)
	mustBeCompletedOnce(t, database, 20)
}

func TestALookFindsWhatNoNotificationHasTold(t *testing.T) {
	database := pgtest.New(t)
	running(t, database, usual())
	for range 3 {
		database.Exec(`
			WITH o AS (
				INSERT INTO orders (account_id, order_type, status, symbol, quantity, price, fee, open_time, seen)
				VALUES (1, 'buy', 'open', 's:1', 1, 10, 24.95, now(), false) RETURNING order_id
			) INSERT INTO order_messages (order_id, placed_at) SELECT order_id, now() FROM o`)
		until(t, "the order is completed", func() bool { return database.Text(messages) == "0" })
	}
	mustBeCompletedOnce(t, database, 3)
}

func TestOrdersThatCannotBeCompletedStopNoOther(t *testing.T) {
	database := pgtest.New(t)
	store := queueing(t, database)
	place(t, store, 40)
	const sick = `order_id IN (SELECT order_id FROM orders WHERE order_id > 250 ORDER BY order_id LIMIT 20)`
	database.Exec(`UPDATE orders SET price = 'NaN' WHERE ` + sick)
	log := new(text)
	options := usual()
	options.Log = slog.New(slog.NewTextHandler(log, nil))
	running(t, database, options)
	place(t, store, 20)
	until(t, "the others are completed", func() bool { return database.Text(messages) == "20" })
	until(t, "they are logged", func() bool { return strings.Count(log.String(), "cannot be completed") >= 20 })
	if got := database.Text(`SELECT count(*) FROM orders WHERE status = 'open' AND ` + sick); got != "20" {
		t.Errorf("%s of 20 are open", got)
	}
	database.Exec(`UPDATE orders SET price = 1 WHERE ` + sick)
	mustBeCompletedOnce(t, database, 60)
}

// attempts counts how often a holding was to be made, in a sequence, which does not roll back.
const attempts = `CREATE SEQUENCE attempts;
	CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
		PERFORM nextval('attempts'); RAISE EXCEPTION 'injected' USING ERRCODE = TG_ARGV[0];
	END $$;
	CREATE TRIGGER refuse BEFORE INSERT ON holdings FOR EACH ROW EXECUTE FUNCTION `

func TestWhatCouldNotBeCompletedIsLeftToTheNextLook(t *testing.T) {
	for sqlState, want := range map[string]string{"40P01": "1", "40001": "1", "23514": "1"} {
		t.Run(sqlState, func(t *testing.T) {
			database := pgtest.New(t)
			place(t, queueing(t, database), 1)
			database.Exec(attempts + `refuse('` + sqlState + `')`)
			log := new(text)
			seldom := usual()
			seldom.Look, seldom.Log = time.Hour, slog.New(slog.NewTextHandler(log, nil))
			stop := running(t, database, seldom)
			until(t, "it is logged", func() bool { return strings.Contains(log.String(), "injected") })
			stop()
			if got := database.Text(`SELECT last_value FROM attempts`); got != want {
				t.Errorf("it was tried %s times", got)
			}
			if got := database.Text(messages); got != "1" {
				t.Errorf("%s messages are left", got)
			}
			database.Exec(`DROP TRIGGER refuse ON holdings`)
			running(t, database, usual())
			mustBeCompletedOnce(t, database, 1)
		})
	}
}

// text is a log that a test reads while the processor writes.
type text struct {
	mu      sync.Mutex
	builder strings.Builder
}

func (t *text) Write(line []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.builder.Write(line)
}

func (t *text) String() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.builder.String()
}

func TestAStopFinishesTheTransactionUnderWay(t *testing.T) {
	database := pgtest.New(t)
	store := queueing(t, database)
	place(t, store, 1)
	release := database.Block(`SELECT FROM quotes WHERE symbol = 's:0' FOR UPDATE`)
	stop := running(t, database, usual())
	database.AwaitBlocked(1)
	stopped := make(chan struct{})
	go func() {
		defer close(stopped)
		stop()
	}()
	select {
	case <-stopped:
		t.Error("it did not wait for its transaction")
	case <-time.After(300 * time.Millisecond):
	}
	release()
	<-stopped
	if got := database.Text(messages); got != "0" {
		t.Errorf("%s messages are left", got)
	}
}

func TestATransactionThatTakesTooLongIsRolledBack(t *testing.T) {
	database := pgtest.New(t)
	place(t, queueing(t, database), 1)
	release := database.Block(`SELECT FROM quotes WHERE symbol = 's:0' FOR UPDATE`)
	impatient := usual()
	impatient.Limit, impatient.Look = 200*time.Millisecond, time.Hour
	stop := running(t, database, impatient)
	database.AwaitBlocked(1)
	database.AwaitBlocked(0)
	stop()
	until(t, "no lock is left", func() bool {
		return database.Text(`SELECT count(*) FROM (SELECT FROM order_messages FOR UPDATE SKIP LOCKED) AS free`) == "1"
	})
	release()
	running(t, database, usual())
	mustBeCompletedOnce(t, database, 1)
}

func TestAProcessorSurvivesARestartOfTheDatabase(t *testing.T) {
	database := pgtest.New(t)
	store := queueing(t, database)
	log := new(text)
	options := usual()
	options.Log = slog.New(slog.NewTextHandler(log, nil))
	running(t, database, options)
	place(t, store, 10)
	const away = "has no database"
	began := time.Now()
	database.Stop()
	until(t, "it has looked again", func() bool { return strings.Count(log.String(), away) >= 4 })
	if most := int(time.Since(began)/options.Look) + 2; strings.Count(log.String(), away) > most {
		t.Errorf("in the time of %d looks the log says\n%s", most, log)
	}
	database.Start()
	until(t, "an order is placed", func() bool {
		_, err := store.Buy(context.Background(), "uid:1", "s:1", 1)
		return err == nil
	})
	mustBeCompletedOnce(t, database, 11)
}
