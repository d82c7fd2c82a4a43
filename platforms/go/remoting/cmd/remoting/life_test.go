package main

import (
	"encoding/json"
	"errors"
	"io"
	"net"
	"net/http"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/golang-jwt/jwt/v5"

	"middlemark/pgtest"
	"middlemark/refusals"
	"middlemark/remoting"
	"middlemark/remoting/access"
	"middlemark/remoting/client"
	"middlemark/remoting/settings"
	"middlemark/remoting/wire"
)

func TestNothingOfAnEarlierCallerIsLeftOnAConnection(t *testing.T) {
	signs := newSigner(t)
	process := start(t, environment{
		"MM_DATABASE_URL": pgtest.New(t).URL, "MM_AUTHENTICATION": access.Token,
		"MM_TOKEN": signs.token(nil), "MM_TOKEN_KEY": signs.keyFile(),
	})
	caller := "Bearer " + signs.token(nil)
	guest := "Bearer " + signs.token(jwt.MapClaims{"sub": "guest", "roles": []string{"guest"}})
	framed := dial(t, "tcp-protobuf", process.in)
	for _, c := range []struct {
		authorization, code string
		status              int
	}{
		{"", "unauthenticated", http.StatusUnauthorized},
		{caller, "", http.StatusOK},
		{"", "unauthenticated", http.StatusUnauthorized},
		{guest, "forbidden", http.StatusForbidden},
		{caller, "", http.StatusOK},
		{strings.ToLower(caller), "unauthenticated", http.StatusUnauthorized},
		{caller, "", http.StatusOK},
	} {
		got := exchanged(t, framed, &wire.Call{Operation: "ping", Authorization: c.authorization})
		if got.GetCode() != c.code {
			t.Errorf("in a frame %.20q is answered by %v, want %q", c.authorization, got, c.code)
		}
		header := http.Header{"Content-Type": {"application/json"}, "Authorization": {c.authorization}}
		process.send(http.MethodPost, "/services/json/ping", header, []byte("{}")).mustBe(t, c.status, c.code)
	}
}

func TestAnOrderOfTenMegabytesIsRefusedAndTheNextCallIsAnswered(t *testing.T) {
	database := pgtest.New(t)
	process := start(t, environment{"MM_DATABASE_URL": database.URL})
	text, err := json.Marshal(example(t))
	if err != nil {
		t.Fatal(err)
	}
	var order remoting.Order
	if err := json.Unmarshal(text, &order); err != nil {
		t.Fatal(err)
	}
	order.Shipping.City = strings.Repeat("x", 10_000_000)
	for _, protocol := range offering(access.None)[1:] { // local sends nothing
		t.Run(protocol, func(t *testing.T) {
			proxy := client.NewProxy(protocol, client.Target{Address: process.in[addressOf(protocol)], Keep: true})
			defer proxy.Close()
			if _, err := proxy.StoreOrder(t.Context(), &order); !errors.Is(err, refusals.InvalidInput) {
				t.Errorf("the order is answered by %.300v", err)
			}
			if err := proxy.Ping(t.Context()); err != nil {
				t.Errorf("the next call is answered by %v", err)
			}
		})
	}
	if stored := database.Text(`SELECT count(*) FROM orders`); stored != "0" {
		t.Errorf("%s orders are stored", stored)
	}
}

func TestWithoutItsDatabaseTheServiceIsUnavailableAndThenAnswersAgain(t *testing.T) {
	database := pgtest.New(t)
	process := start(t, environment{"MM_DATABASE_URL": database.URL})
	database.Stop()
	for _, protocol := range allProtocols {
		process.call(protocol, "storeOrder", "").mustBe(t, http.StatusServiceUnavailable, "unavailable")
		process.call(protocol, "ping", "").mustBe(t, http.StatusOK, "")
	}
	loop := process.send(http.MethodGet, "/loop/json/loadProducts?calls=3", nil, nil)
	if outcomes := outcomesOf(t, loop.body); outcomes != "555" || loop.header.Get("Answer-Hash") != "" {
		t.Errorf("the outcomes are %q, the hash is %q", outcomes, loop.header.Get("Answer-Hash"))
	}
	database.Start()
	for _, protocol := range allProtocols {
		process.until(protocol+" is answered", func() bool {
			return process.call(protocol, "loadProducts", "").status == http.StatusOK
		})
	}
}

func TestAProcessAnswersForItsRolesAlone(t *testing.T) {
	in := places(t).with(environment{"MM_DATABASE_URL": pgtest.New(t).URL})
	service := launch(t, in.with(environment{"MM_ROLE": settings.Service})).ready()
	service.call("json", "ping", "").mustBe(t, http.StatusNotFound, "")
	caller := launch(t, in.with(onlyClient(t)).with(environment{"MM_SERVICE_TCP": ""})).ready()
	caller.send(http.MethodPost, "/services/json/ping", nil, []byte("{}")).mustBe(t, http.StatusNotFound, "")
	caller.call("local", "ping", "").mustBe(t, http.StatusServiceUnavailable, "unavailable")
	caller.call("tcp-protobuf", "ping", "").mustBe(t, http.StatusServiceUnavailable, "unavailable")
	caller.call("json", "ping", "").mustBe(t, http.StatusOK, "")
	caller.call("rmi", "ping", "").mustBe(t, http.StatusNotFound, "")
	caller.call("json", "pong", "").mustBe(t, http.StatusNotFound, "")
	for _, numbers := range []string{"", "?seconds=0", "?seconds=61", "?calls=0", "?calls=1000001", "?calls=x", "?calls=1&seconds=1"} {
		caller.send(http.MethodGet, "/loop/json/ping"+numbers, nil, nil).mustBe(t, http.StatusBadRequest, "invalid_input")
	}
}

func TestAServiceListensForTheProtocolsOfItsAuthenticationAlone(t *testing.T) {
	for kind, listening := range map[string][]string{
		access.None:        {"MM_SERVICE_GRPC", "MM_SERVICE_TCP", "MM_SERVICE_TCP_SOAP", "MM_SERVICE_NATIVE", "MM_SERVICE_SOCKET"},
		access.Password:    {"MM_SERVICE_GRPC"},
		access.Token:       {"MM_SERVICE_GRPC", "MM_SERVICE_TCP"},
		access.Certificate: {"MM_SERVICE_GRPC", "MM_SERVICE_TCP", "MM_SERVICE_HTTPS_URL"},
	} {
		process := start(t, authenticated(t, kind).with(environment{"MM_DATABASE_URL": pgtest.New(t).URL}))
		for _, address := range []string{
			"MM_SERVICE_GRPC", "MM_SERVICE_TCP", "MM_SERVICE_TCP_SOAP", "MM_SERVICE_NATIVE", "MM_SERVICE_SOCKET", "MM_SERVICE_HTTPS_URL",
		} {
			network := "tcp"
			if address == "MM_SERVICE_SOCKET" {
				network = "unix"
			}
			connection, err := net.Dial(network, strings.TrimPrefix(process.in[address], "https://"))
			if err == nil {
				_ = connection.Close()
			}
			if expected := slices.Contains(listening, address); (err == nil) != expected {
				t.Errorf("with %s: connecting to %s ends with %v", kind, address, err)
			}
		}
	}
}

func TestASocketThatAKilledProcessHasLeftIsRemovedAndAnyOtherFileIsNot(t *testing.T) {
	in := places(t).with(environment{"MM_DATABASE_URL": pgtest.New(t).URL})
	left, err := net.ListenUnix("unix", &net.UnixAddr{Name: in["MM_SOCKET"], Net: "unix"})
	if err != nil {
		t.Fatal(err)
	}
	left.SetUnlinkOnClose(false)
	if err := left.Close(); err != nil {
		t.Fatal(err)
	}
	launch(t, in).ready().call("unix", "ping", "").mustBe(t, http.StatusOK, "")

	other := places(t).with(environment{"MM_DATABASE_URL": in["MM_DATABASE_URL"]})
	if err := os.WriteFile(other["MM_SOCKET"], []byte("kept"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := run(t.Context(), other.get, io.Discard); err == nil {
		t.Error("the process starts in spite of the file")
	}
	if content, err := os.ReadFile(other["MM_SOCKET"]); string(content) != "kept" {
		t.Errorf("the file has %q, %v", content, err)
	}
}

func TestEverySettingIsShown(t *testing.T) {
	page, err := os.ReadFile(pgtest.SpecFile("remoting", "README.md"))
	if err != nil {
		t.Fatal(err)
	}
	process := start(t, authenticated(t, access.Token).with(environment{"MM_DATABASE_URL": pgtest.New(t).URL}))
	var about struct{ Settings map[string]string }
	if err := json.Unmarshal(process.send(http.MethodGet, "/about", nil, nil).body, &about); err != nil {
		t.Fatal(err)
	}
	table, _, _ := strings.Cut(string(page), "## Operations")
	specified := regexp.MustCompile("`MM_([A-Z_]+)`").FindAllStringSubmatch(table, -1)
	if len(specified) == 0 {
		t.Fatal("the specification has no settings")
	}
	for _, variable := range specified {
		if _, shown := about.Settings[strings.ToLower(variable[1])]; !shown {
			t.Errorf("/about does not show MM_%s", variable[1])
		}
	}
	for variable, value := range process.in.with(environment{"MM_TOKEN": "secret"}) {
		if shown := about.Settings[strings.ToLower(strings.TrimPrefix(variable, "MM_"))]; shown != value && variable != "MM_DATABASE_URL" {
			t.Errorf("/about shows %q for %s, want %q", shown, variable, value)
		}
	}
}
