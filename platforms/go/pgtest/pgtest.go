// Package pgtest gives each test its own database in a real PostgreSQL, loaded from a specification at scale tiny.
package pgtest

import (
	"context"
	"crypto/rand"
	"fmt"
	"net/url"
	"os"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
)

const (
	variable = "MIDDLEMARK_TEST_DATABASE"
	missing  = variable + " is not set. The tests need a PostgreSQL in which they may create databases:\n" +
		"    " + variable + "=postgresql://user:password@127.0.0.1:5432/postgres go test ./...\n" +
		"or run `make test` in the root of the repository, which starts one."
)

var (
	prefix  = "middlemark_test_" + strings.ToLower(rand.Text()[:12])
	counter atomic.Int64
)

// Run runs a package's tests around loaded databases that each test copies, one for each folder of the specification; it is the
// body of TestMain. Without folders the specification itself has the one database.
func Run(m *testing.M, spec string, folders ...string) int {
	if os.Getenv(variable) == "" {
		fmt.Fprintln(os.Stderr, missing)
		return 1
	}
	if len(folders) == 0 {
		folders = []string{"."}
	}
	for _, folder := range folders {
		if err := load(template(folder), spec, folder); err != nil {
			fmt.Fprintf(os.Stderr, "loading the data set into %s: %v\n", os.Getenv(variable), err)
			return 1
		}
	}
	status := m.Run()
	for _, folder := range folders {
		if err := administer(`DROP DATABASE "` + template(folder) + `"`); err != nil {
			fmt.Fprintln(os.Stderr, err)
			return 1
		}
	}
	return status
}

func template(folder string) string { return strings.TrimSuffix(prefix+"_"+folder, "_.") }

// Database is a test's own.
type Database struct {
	URL  string
	name string
	t    testing.TB
}

// New makes a database that is dropped at the end of the test.
func New(t testing.TB) *Database {
	t.Helper()
	return NewOf(t, ".")
}

// NewOf makes the database of a folder.
func NewOf(t testing.TB, folder string) *Database {
	t.Helper()
	name := fmt.Sprintf("%s_%d", prefix, counter.Add(1))
	d := &Database{URL: address(name), name: name, t: t}
	d.administer(`CREATE DATABASE "` + name + `" TEMPLATE "` + template(folder) + `"`)
	t.Cleanup(func() { d.administer(`DROP DATABASE "` + name + `" WITH (FORCE)`) })
	return d
}

// Stop makes the database look like one whose server has gone: connections break and new ones are refused.
func (d *Database) Stop() {
	d.t.Helper()
	d.administer(`ALTER DATABASE "` + d.name + `" ALLOW_CONNECTIONS false`)
	d.administer(`SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = '` + d.name + `'`)
}

// Start undoes Stop.
func (d *Database) Start() {
	d.t.Helper()
	d.administer(`ALTER DATABASE "` + d.name + `" ALLOW_CONNECTIONS true`)
}

// Connect opens a connection for the test itself.
func (d *Database) Connect() *pgx.Conn {
	d.t.Helper()
	connection, err := pgx.Connect(d.t.Context(), d.URL)
	if err != nil {
		d.t.Fatal(err)
	}
	d.t.Cleanup(func() { _ = connection.Close(context.Background()) }) // the database is dropped with force anyway
	return connection
}

// Exec runs SQL, several statements at once if need be.
func (d *Database) Exec(sql string) {
	d.t.Helper()
	d.briefly(func(ctx context.Context, connection *pgx.Conn) error {
		_, err := connection.Exec(ctx, sql)
		return err
	})
}

// Text is the one value that a query answers, as text.
func (d *Database) Text(sql string) (text string) {
	d.t.Helper()
	d.briefly(func(ctx context.Context, connection *pgx.Conn) error {
		return connection.QueryRow(ctx, `SELECT (`+sql+`)::text`).Scan(&text)
	})
	return text
}

// briefly works on a connection that is closed at once, because tests also wait for a state by asking often.
func (d *Database) briefly(work func(context.Context, *pgx.Conn) error) {
	d.t.Helper()
	if err := connected(d.URL, work); err != nil {
		d.t.Fatal(err)
	}
}

// Block locks what sql selects, until release is called.
func (d *Database) Block(sql string) (release func()) {
	d.t.Helper()
	rival := d.Connect()
	exec := func(sql string) {
		d.t.Helper()
		if _, err := rival.Exec(d.t.Context(), sql); err != nil {
			d.t.Fatal(err)
		}
	}
	exec(`BEGIN`)
	exec(sql)
	return func() {
		d.t.Helper()
		exec(`COMMIT`)
	}
}

// AwaitBlocked waits until n connections wait for a lock.
func (d *Database) AwaitBlocked(n int) {
	d.t.Helper()
	const waiting = `SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`
	for deadline := time.Now().Add(20 * time.Second); d.Text(waiting) != strconv.Itoa(n); time.Sleep(10 * time.Millisecond) {
		if time.Now().After(deadline) {
			d.t.Fatalf("there are never %d connections that wait for a lock", n)
		}
	}
}

func (d *Database) administer(sql string) {
	d.t.Helper()
	d.withAdmin(func(ctx context.Context, admin *pgx.Conn) error {
		_, err := admin.Exec(ctx, sql)
		return err
	})
}

func (d *Database) withAdmin(work func(context.Context, *pgx.Conn) error) {
	d.t.Helper()
	if err := withAdmin(work); err != nil {
		d.t.Fatal(err)
	}
}

func administer(sql string) error {
	return withAdmin(func(ctx context.Context, admin *pgx.Conn) error {
		_, err := admin.Exec(ctx, sql)
		return err
	})
}

func withAdmin(work func(context.Context, *pgx.Conn) error) error {
	return connected(os.Getenv(variable), work)
}

func connected(url string, work func(context.Context, *pgx.Conn) error) error {
	ctx := context.Background() // also used when the test's own context has ended
	connection, err := pgx.Connect(ctx, url)
	if err != nil {
		return err
	}
	defer func() { _ = connection.Close(ctx) }() // nothing depends on a clean goodbye
	return work(ctx, connection)
}

// address is the server's address with another database.
func address(name string) string {
	u, err := url.Parse(os.Getenv(variable))
	if err != nil { // Run has connected with it
		panic(err)
	}
	u.Path = "/" + name
	return u.String()
}
