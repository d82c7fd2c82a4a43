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

	"middlemark/pgtest"
)

// ownProcess is the variable that makes the test's program be the application, to be killed.
const ownProcess = "MIDDLEMARK_TEST_APPLICATION"

// killable is an application in a process of its own.
type killable struct {
	running
	command *exec.Cmd
}

func startKillable(t *testing.T, variables environment) *killable {
	t.Helper()
	port := fmt.Sprint(freePort(t))
	k := &killable{command: exec.Command(os.Args[0])}
	k.running = running{t: t, url: "http://127.0.0.1:" + port, log: new(lockedBuffer)}
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
func (p *running) order(body string) bool {
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
