package main

import (
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"middlemark/brokerage/pgtest"
)

// ownProcess is the variable that makes the test's program be the application, to be killed.
const ownProcess = "MIDDLEMARK_TEST_APPLICATION"

// killable is an application in a process of its own.
type killable struct {
	process
	command *exec.Cmd
}

func startKillable(t *testing.T, variables environment) *killable {
	t.Helper()
	port := fmt.Sprint(freePort(t))
	k := &killable{command: exec.Command(os.Args[0])}
	k.process = process{t: t, url: "http://127.0.0.1:" + port, log: new(lockedBuffer)}
	k.client = k.browser()
	k.command.Env = append(os.Environ(), ownProcess+"=yes", "MM_PORT="+port)
	for name, value := range variables {
		k.command.Env = append(k.command.Env, name+"="+value)
	}
	k.command.Stderr = k.log
	if err := k.command.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(k.kill)
	k.ready()
	return k
}

// kill is kill -9.
func (k *killable) kill() {
	_ = k.command.Process.Kill() // it may have ended already
	_ = k.command.Wait()         // as it was killed, this is no news
}

// order places an order over JSON and says whether it was answered.
func (p *process) order(body string) bool {
	response, err := http.Post(p.url+"/services/json/buy", "application/json", strings.NewReader(body))
	if err != nil {
		return false
	}
	defer func() { _ = response.Body.Close() }()
	return response.StatusCode == http.StatusOK
}

const queued = `SELECT count(*) FROM order_messages`

func mustBeEqual(t *testing.T, database *pgtest.Database, want string, figures ...string) {
	t.Helper()
	for _, sql := range figures {
		if got := database.Text(sql); got != want {
			t.Errorf("%s is %s, want %s", sql, got, want)
		}
	}
}

// traders place orders without a pause until they are stopped, and count the answers.
type traders struct {
	services              atomic.Pointer[killable]
	confirmed, unanswered atomic.Int64
	stopped               atomic.Bool
	clients               sync.WaitGroup
}

func (t *traders) start(services *killable) {
	t.services.Store(services)
	for client := range 4 {
		t.clients.Go(func() {
			for i := 0; !t.stopped.Load(); i++ {
				if t.services.Load().order(fmt.Sprintf(`{"userId":"uid:%d","symbol":"s:%d","quantity":1}`, client, i%5)) {
					t.confirmed.Add(1)
				} else {
					t.unanswered.Add(1)
					time.Sleep(10 * time.Millisecond)
				}
			}
		})
	}
}

func (t *traders) stop() {
	t.stopped.Store(true)
	t.clients.Wait()
}

func TestAKillLosesNoOrderAndCompletesNoneTwice(t *testing.T) {
	database := pgtest.New(t)
	variables := environment{"MM_DATABASE_URL": database.URL, "MM_ORDERS": "async-queue", "MM_DATABASE_POOL": "4"}
	starting := func(role string) *killable { return startKillable(t, variables.with(environment{"MM_ROLE": role})) }
	processors := []*killable{starting("processor"), starting("processor")}
	var all traders
	all.start(starting("services"))
	for round := range 6 {
		time.Sleep(300 * time.Millisecond)
		if round%3 == 2 {
			all.services.Load().kill()
			all.services.Store(starting("services"))
			continue
		}
		processors[round%2].kill()
		processors[round%2] = starting("processor")
	}
	all.stop()
	processors[0].until("every order is completed", func() bool { return database.Text(queued) == "0" })
	placed := database.Text(`SELECT count(*) FROM orders WHERE order_id > 250`)
	confirmed, unanswered := all.confirmed.Load(), all.unanswered.Load()
	if n, err := strconv.ParseInt(placed, 10, 64); err != nil || n < confirmed || n > confirmed+unanswered || confirmed == 0 {
		t.Errorf("%d orders are confirmed, %d unanswered, %s placed (%v)", confirmed, unanswered, placed, err)
	}
	mustBeEqual(t, database, placed,
		`SELECT count(*) FROM orders WHERE order_id > 250 AND status = 'closed'`,
		`SELECT count(DISTINCT holding_id) FROM orders WHERE order_id > 250`,
		`SELECT count(*) FROM holdings WHERE account_id <= 4 AND holding_id > 250`,
		`SELECT sum(trades) FROM quotes`)
}

func TestAProcessorKilledBetweenTwoStepsLeavesTheOrderToTheNext(t *testing.T) {
	for what, row := range map[string]string{
		"before its first lock":            `accounts WHERE user_id = 'uid:1'`,
		"with the account locked":          `holdings WHERE holding_id = 6`,
		"with account and holding locked":  `quotes WHERE symbol = 's:5'`,
		"with the holding already removed": `orders WHERE order_id = 251`,
	} {
		t.Run(what, func(t *testing.T) {
			database := pgtest.New(t)
			variables := environment{"MM_DATABASE_URL": database.URL, "MM_ORDERS": "async-queue", "MM_DATABASE_POOL": "2"}
			services := start(t, variables.with(environment{"MM_ROLE": "web,services"})).ready()
			b := services.login("uid:1")
			services.post(b, "/sell", map[string]string{"holding_id": "6"}).mustHave(t, 200, "<dt>Status</dt><dd>open</dd>")
			balance := database.Text(`SELECT balance FROM accounts WHERE user_id = 'uid:1'`)
			release := database.Block(`SELECT FROM ` + row + ` FOR UPDATE`)
			processor := startKillable(t, variables.with(environment{"MM_ROLE": "processor"}))
			database.AwaitBlocked(1)
			processor.kill()
			release()
			mustBeEqual(t, database, balance, `SELECT balance FROM accounts WHERE user_id = 'uid:1'`)
			services.get(b, "/portfolio").mustHave(t, 200, "being sold")
			mustBeEqual(t, database, "1", queued, `SELECT count(*) FROM orders WHERE order_id = 251 AND status = 'open'`)
			start(t, variables.with(environment{"MM_ROLE": "processor"}))
			services.until("the order is completed", func() bool { return database.Text(queued) == "0" })
			mustBeEqual(t, database, "0", `SELECT count(*) FROM holdings WHERE holding_id = 6`)
			mustBeEqual(t, database, "1", `SELECT sum(trades) FROM quotes`)
			services.get(b, "/portfolio").mustHave(t, 200, `id="alerts"`)
		})
	}
}

func TestAnAlertTellsOnceThatAProcessorHasCompletedAnOrder(t *testing.T) {
	database := pgtest.New(t)
	variables := environment{"MM_DATABASE_URL": database.URL, "MM_ORDERS": "async-queue"}
	p := start(t, variables.with(environment{"MM_ROLE": "web"})).ready()
	b := p.login("uid:1")
	p.post(b, "/buy", map[string]string{"symbol": "s:1", "quantity": "1"}).mustHave(t, 200, "<dt>Status</dt><dd>open</dd>")
	for _, path := range []string{"/home", "/account", "/portfolio", "/quotes"} {
		if got := p.get(b, path); strings.Contains(got.body, `id="alerts"`) {
			t.Errorf("%s tells of an order that is open", path)
		}
	}
	start(t, variables.with(environment{"MM_ROLE": "processor"}))
	p.until("the order is completed", func() bool { return database.Text(queued) == "0" })
	var alerts atomic.Int64
	var pages sync.WaitGroup
	for _, path := range []string{"/home", "/account", "/portfolio", "/quotes", "/home", "/account"} {
		pages.Go(func() {
			if strings.Contains(p.get(b, path).body, `id="alerts"`) {
				alerts.Add(1)
			}
		})
	}
	if pages.Wait(); alerts.Load() != 1 {
		t.Errorf("%d pages tell of it", alerts.Load())
	}
}

func TestAPageThatFailsKeepsItsAlerts(t *testing.T) {
	database := pgtest.New(t)
	p := start(t, environment{"MM_DATABASE_URL": database.URL, "MM_MARKET_SUMMARY_SECONDS": "0"}).ready()
	b := p.login("uid:1")
	for path, table := range map[string]string{"/home": "quotes", "/account": "profiles", "/portfolio": "holdings", "/quotes": "quotes"} {
		p.post(b, "/buy", map[string]string{"symbol": "s:1", "quantity": "1"}).mustHave(t, 200)
		database.Exec(`ALTER TABLE ` + table + ` RENAME TO hidden`)
		p.get(b, path).mustHave(t, 500, `data-page="error"`)
		database.Exec(`ALTER TABLE hidden RENAME TO ` + table)
		p.get(b, path).mustHave(t, 200, `id="alerts"`)
	}
}

func TestOrdersAreQueuedFromTheMomentTheConfigPageSaysSo(t *testing.T) {
	database := pgtest.New(t)
	p := start(t, environment{"MM_DATABASE_URL": database.URL, "MM_CONFIG_PAGE": "on", "MM_DATABASE_POOL": "3"}).ready()
	b := p.login("uid:1")
	buy := func(status string) {
		t.Helper()
		p.post(b, "/buy", map[string]string{"symbol": "s:1", "quantity": "1"}).mustHave(t, 200, "<dt>Status</dt><dd>"+status+"</dd>")
	}
	p.get(b, "/about").mustHave(t, 200, `"orders":"sync"`, `"role":"web,services"`)
	buy("closed")
	if got := database.Connections(); got != 3 {
		t.Errorf("with synchronous orders there are %d connections", got)
	}
	mustRedirect(t, p.post(b, "/config", config("local", "", "async-queue", "60")), "/config")
	p.get(b, "/about").mustHave(t, 200, `"orders":"async-queue"`, `"role":"web,services,processor"`, "connections beside the pool")
	p.get(b, "/config").mustHave(t, 200, `<option value="async-queue" selected>`)
	p.until("the processor listens", func() bool { return database.Connections() == 4 })
	buy("open")
	p.until("the order is completed", func() bool { return database.Text(queued) == "0" })
	mustRedirect(t, p.post(b, "/config", config("local", "", "sync", "60")), "/config")
	buy("closed")
	p.get(b, "/about").mustHave(t, 200, `"orders":"sync"`, `"role":"web,services,processor"`)
	p.get(b, "/statistics").mustHave(t, 200, `<dd id="orders-placed">3</dd>`, `<dd id="orders-completed">3</dd>`)
}

func TestAProcessWithoutDatabaseProcessesNoOrders(t *testing.T) {
	services := start(t, environment{"MM_ROLE": "services", "MM_DATABASE_URL": pgtest.New(t).URL}).ready()
	p := start(t, environment{
		"MM_ROLE": "web", "MM_CONFIG_PAGE": "on", "MM_BINDING": "json", "MM_SERVICES_URL": services.url,
	}).ready()
	p.post(p.client, "/config", config("json", services.url, "async-queue", "60")).mustHave(t, 400,
		"Orders cannot be processed as async-queue by this process.", `<option value="async-queue" selected disabled>`)
	mustRedirect(t, p.post(p.client, "/config", config("json", services.url, "sync", "5")), "/config")
}

func TestAProcessorAnswersHealthAndAboutAndNothingElse(t *testing.T) {
	p := start(t, environment{"MM_ROLE": "processor", "MM_ORDERS": "async-queue", "MM_DATABASE_URL": pgtest.New(t).URL}).ready()
	p.get(p.client, "/about").mustHave(t, 200, `"roles":["processor"]`, `"processor_seconds":"1"`)
	p.get(p.client, "/").mustHave(t, 404)
	p.post(p.client, "/services/json/ping", nil).mustHave(t, 404)
}

func TestStatisticsTellWhatTheProcessHasDone(t *testing.T) {
	eachBinding(t, nil, func(t *testing.T, p *process, database *pgtest.Database) {
		p.get(p.client, "/statistics").mustHave(t, 200, `data-page="statistics"`, `<dd id="requests">0</dd>`, `<dd id="sessions">0</dd>`)
		b := p.login("uid:1")
		p.post(b, "/buy", map[string]string{"symbol": "s:1", "quantity": "1"}).mustHave(t, 200)
		p.get(b, "/style.css").mustHave(t, 200)
		database.Stop()
		p.get(b, "/portfolio").mustHave(t, 503)
		p.get(b, "/statistics").mustHave(t, 200, `<dd id="requests">5</dd>`, `<dd id="request-errors">1</dd>`, `<dd id="sessions">1</dd>`,
			`<dd id="operations">3</dd>`, `<dd id="operation-errors">1</dd>`, `<dd id="orders-placed">1</dd>`, `<dd id="orders-completed">1</dd>`)
		database.Start()
	})
}
