package main

import (
	"bytes"
	"context"
	"net"
	"net/http"
	"strconv"
	"strings"
	"testing"
	"time"

	"middlemark/pgtest"
	"middlemark/process"
)

func TestWrongSettingsEndTheStartWithTwoAndOneLine(t *testing.T) {
	for _, variables := range []environment{
		{},
		{"MM_ROLE": "processor", "MM_DATABASE_URL": "postgresql://u@h/d"},
		{"MM_ORDERS": "async-xa", "MM_DATABASE_URL": "postgresql://u@h/d"},
		{"MM_BINDING": "grpc", "MM_DATABASE_URL": "postgresql://u@h/d"},
		{"MM_ROLE": "web", "MM_BINDING": "json"},
		{"MM_DATABASE_URL": "postgresql://u@h/d?sslmode=perhaps"},
	} {
		var out bytes.Buffer
		err := run(context.Background(), variables.get, &out)
		if status := process.ExitStatus(err, &out); status != 2 || strings.Count(out.String(), "\n") != 1 {
			t.Errorf("%v ends with %d and %q", variables, status, out.String())
		}
	}
}

func TestAPortInUseEndsTheStartWithOne(t *testing.T) {
	p := start(t, environment{"MM_DATABASE_URL": pgtest.New(t).URL}).ready()
	port := p.url[strings.LastIndex(p.url, ":")+1:]
	var out bytes.Buffer
	err := run(context.Background(), environment{"MM_PORT": port, "MM_DATABASE_URL": "postgresql://u@127.0.0.1:1/d"}.get, &out)
	if status := process.ExitStatus(err, &out); status != 1 {
		t.Errorf("the start ends with %d and %q", status, out.String())
	}
}

func TestHealthAndPagesFollowTheDatabase(t *testing.T) {
	for _, binding := range bindings {
		t.Run("over "+binding, func(t *testing.T) {
			database := pgtest.New(t)
			database.Stop()
			p := start(t, environment{"MM_DATABASE_URL": database.URL, "MM_BINDING": binding, "MM_DATABASE_POOL": "3"})
			p.until("the process listens", func() bool { return p.status("/health") != 0 })
			p.get(p.client, "/health").mustHave(t, http.StatusServiceUnavailable, "The database does not answer.")
			p.post(p.client, "/login", map[string]string{"user_id": "uid:1", "password": "xxx"}).mustHave(t, 503, `data-page="error"`)
			database.Start()
			p.ready()
			b := p.login("uid:1")
			database.Stop()
			began := time.Now()
			p.get(b, "/home").mustHave(t, 503, `data-page="error"`, "The service is not available at the moment.")
			p.post(b, "/buy", map[string]string{"symbol": "s:1", "quantity": "1"}).mustHave(t, 503, `data-page="error"`)
			p.get(b, "/health").mustHave(t, 503)
			if took := time.Since(began); took > 6*time.Second {
				t.Errorf("three refusals took %s", took)
			}
			database.Start()
			p.ready()
			p.get(b, "/home").mustHave(t, 200, `<strong id="user">uid:1</strong>`)
		})
	}
}

func TestAStopFinishesWhatItHasBegun(t *testing.T) {
	for _, binding := range bindings {
		t.Run("over "+binding, func(t *testing.T) {
			database := pgtest.New(t)
			p := start(t, environment{"MM_DATABASE_URL": database.URL, "MM_BINDING": binding}).ready()
			b := p.login("uid:1")
			p.post(b, "/buy", map[string]string{"symbol": "s:1", "quantity": "1"}).mustHave(t, 200)
			release := database.Block(`SELECT FROM orders WHERE account_id = 2 FOR UPDATE`)
			home := make(chan answer, 1)
			go func() { home <- p.get(b, "/home") }() // waits for the alert, then asks for the market summary
			database.AwaitBlocked(1)
			stopped := make(chan error, 1)
			go func() { stopped <- p.stop() }()
			p.until("no new page is begun", func() bool { return p.status("/glossary") != http.StatusOK })
			release()
			(<-home).mustHave(t, 200, `id="alerts"`, `id="market"`)
			if err := <-stopped; err != nil {
				t.Errorf("the process ended with %v", err)
			}
		})
	}
}

func TestAProcessorAtWorkDoesNotKeepAStoppingProcessOpen(t *testing.T) {
	database := pgtest.New(t)
	p := start(t, environment{"MM_ROLE": "services,processor", "MM_ORDERS": "async-queue", "MM_DATABASE_URL": database.URL}).ready()
	releaseQuote := database.Block(`SELECT FROM quotes WHERE symbol = 's:1' FOR NO KEY UPDATE`) // leaves placing alone
	if !p.order(`{"userId":"uid:1","symbol":"s:1","quantity":1}`) {
		t.Fatal("the order to be held up was not placed")
	}
	database.AwaitBlocked(1)
	releaseAccount := database.Block(`SELECT FROM accounts WHERE user_id = 'uid:2' FOR UPDATE`)
	bought := make(chan bool, 1)
	go func() { bought <- p.order(`{"userId":"uid:2","symbol":"s:2","quantity":1}`) }()
	database.AwaitBlocked(2)
	began, stopped := time.Now(), make(chan error, 1)
	go func() { stopped <- p.stop() }()
	p.until("no new call is begun", func() bool {
		response, err := http.Post(p.url+"/services/json/ping", "application/json", strings.NewReader("{}"))
		if err == nil {
			_ = response.Body.Close()
		}
		return err != nil
	})
	if took := time.Since(began); took > process.StopLimit/2 {
		t.Errorf("new calls were answered for %s", took)
	}
	releaseAccount()
	if !<-bought {
		t.Error("the call under way was cut off")
	}
	releaseQuote()
	if err := <-stopped; err != nil {
		t.Errorf("the process ended with %v", err)
	}
	mustBeEqual(t, database, "closed", `SELECT status FROM orders WHERE order_id = 251`)
}

func TestServicesFinishTheCallsThatOthersHaveBegun(t *testing.T) {
	for _, binding := range remoteBindings {
		t.Run("over "+binding, func(t *testing.T) {
			database := pgtest.New(t)
			services := start(t, environment{"MM_ROLE": "services", "MM_DATABASE_URL": database.URL}).ready()
			web := start(t, environment{"MM_ROLE": "web", "MM_BINDING": binding, "MM_SERVICES_URL": services.at(binding)}).ready()
			b := web.login("uid:1")
			release := database.Block(`SELECT FROM accounts WHERE user_id = 'uid:1' FOR UPDATE`)
			bought := make(chan answer, 1)
			go func() { bought <- web.post(b, "/buy", map[string]string{"symbol": "s:1", "quantity": "1"}) }()
			database.AwaitBlocked(1)
			stopped := make(chan error, 1)
			go func() { stopped <- services.stop() }()
			web.until("no new call is begun", func() bool { return web.status("/health") != http.StatusOK })
			release()
			(<-bought).mustHave(t, 200, `data-page="order"`)
			if err := <-stopped; err != nil {
				t.Errorf("the process ended with %v", err)
			}
		})
	}
}

func TestWebAndServicesRunApart(t *testing.T) {
	database := pgtest.New(t)
	services := start(t, environment{"MM_ROLE": "services", "MM_DATABASE_URL": database.URL}).ready()
	services.get(services.client, "/").mustHave(t, 404)
	services.get(services.client, "/home").mustHave(t, 404)
	type tier struct {
		*running
		browser *http.Client
	}
	var tiers []tier
	for _, binding := range remoteBindings {
		web := start(t, environment{"MM_ROLE": "web", "MM_BINDING": binding, "MM_SERVICES_URL": services.at(binding)}).ready()
		web.post(web.client, "/services/json/ping", nil).mustHave(t, 404)
		web.post(web.client, "/services/soap", nil).mustHave(t, 404)
		if connection, err := net.Dial("tcp", strings.TrimPrefix(web.calls, "http://")); err == nil {
			_ = connection.Close()
			t.Error("a web tier offers gRPC")
		}
		b := web.login("uid:1")
		web.get(b, "/home").mustHave(t, 200, `<strong id="user">uid:1</strong>`)
		tiers = append(tiers, tier{web, b})
	}
	if err := services.stop(); err != nil {
		t.Fatal(err)
	}
	for _, web := range tiers {
		web.get(web.browser, "/home").mustHave(t, 503, `data-page="error"`)
		web.get(web.browser, "/health").mustHave(t, 503)
	}
}

func TestAWebTierFindsServicesThatHaveBeenStartedAnew(t *testing.T) {
	database := pgtest.New(t)
	for _, binding := range remoteBindings {
		t.Run("over "+binding, func(t *testing.T) {
			port, grpcPort := strconv.Itoa(freePort(t)), strconv.Itoa(freePort(t))
			where := environment{"MM_ROLE": "services", "MM_PORT": port, "MM_GRPC_PORT": grpcPort, "MM_DATABASE_URL": database.URL}
			address := "http://127.0.0.1:" + map[string]string{"soap": port, "json": port, "grpc": grpcPort}[binding]
			services := start(t, where)
			web := start(t, environment{"MM_ROLE": "web", "MM_BINDING": binding, "MM_SERVICES_URL": address}).ready()
			b := web.login("uid:1")
			if err := services.stop(); err != nil {
				t.Fatal(err)
			}
			web.get(b, "/portfolio").mustHave(t, 503)
			start(t, where)
			web.ready()
			web.get(b, "/portfolio").mustHave(t, 200)
		})
	}
}
