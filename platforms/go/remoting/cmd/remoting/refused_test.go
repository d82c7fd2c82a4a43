package main

import (
	"encoding/base64"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/golang-jwt/jwt/v5"

	"middlemark/pgtest"
	"middlemark/remoting/access"
	"middlemark/remoting/client"
	"middlemark/remoting/settings"
)

// offering are the protocols of a kind of authentication.
func offering(kind string) (protocols []string) {
	for _, protocol := range allProtocols {
		if client.Offered(protocol, kind) {
			protocols = append(protocols, protocol)
		}
	}
	return protocols
}

// tokens are the refused ones, by what is wrong with them.
func tokens(t *testing.T, signs signer) map[string]string {
	t.Helper()
	whole := signs.token(nil)
	unsigned, err := jwt.NewWithClaims(jwt.SigningMethodNone, jwt.MapClaims{
		"sub": "caller", "roles": []string{"caller"}, "aud": "remoting", "exp": time.Now().Add(time.Hour).Unix(),
	}).SignedString(jwt.UnsafeAllowNoneSignatureType)
	if err != nil {
		t.Fatal(err)
	}
	return map[string]string{
		"expired":        signs.token(jwt.MapClaims{"exp": time.Now().Add(-2 * time.Minute).Unix()}),
		"without end":    signs.token(jwt.MapClaims{"exp": nil}),
		"other audience": signs.token(jwt.MapClaims{"aud": "somewhere"}),
		"nobody's":       signs.token(jwt.MapClaims{"sub": ""}),
		"forged":         newSigner(t).token(nil),
		"changed":        whole[:len(whole)-10] + strings.Repeat("A", 10),
		"unsigned":       unsigned,
		"no token":       "e30.e30.",
	}
}

func TestATokenThatDoesNotHoldIsRefusedAndStoresNothing(t *testing.T) {
	database, signs := pgtest.New(t), newSigner(t)
	in := places(t).with(environment{
		"MM_DATABASE_URL": database.URL, "MM_AUTHENTICATION": access.Token, "MM_TOKEN": signs.token(nil), "MM_TOKEN_KEY": signs.keyFile(),
	})
	launch(t, in).ready()
	bad := tokens(t, signs)
	bad["guest"] = signs.token(jwt.MapClaims{"sub": "guest", "roles": []string{}})
	for wrong, token := range bad {
		status, code := http.StatusUnauthorized, "unauthenticated"
		if wrong == "guest" {
			status, code = http.StatusForbidden, "forbidden"
		}
		caller := launch(t, in.with(onlyClient(t)).with(environment{"MM_TOKEN": token}))
		caller.listening()
		for _, protocol := range offering(access.Token) {
			t.Run(wrong+" over "+protocol, func(t *testing.T) {
				caller.call(protocol, "storeOrder", "").mustBe(t, status, code)
				caller.call(protocol, "storeOrder", "").mustBe(t, status, code)
			})
		}
	}
	if stored := database.Text(`SELECT count(*) FROM orders`); stored != "0" {
		t.Errorf("%s orders are stored", stored)
	}
}

// onlyClient is the settings of a process that carries no service.
func onlyClient(t *testing.T) environment {
	return environment{"MM_ROLE": settings.Client, "MM_PORT": places(t)["MM_PORT"]}
}

// listening waits until a process answers, ready or not.
func (p *running) listening() {
	p.t.Helper()
	p.until("it listens", func() bool {
		response, err := http.Get(p.url + "/about")
		if err != nil {
			return false
		}
		return response.Body.Close() == nil
	})
}

func TestAPasswordThatIsWrongIsRefused(t *testing.T) {
	process := start(t, environment{"MM_DATABASE_URL": pgtest.New(t).URL, "MM_AUTHENTICATION": access.Password})
	basic := func(text string) string { return "Basic " + base64.StdEncoding.EncodeToString([]byte(text)) }
	// One connection: nothing of an earlier caller is left for the next one.
	for _, c := range []struct {
		authorization string
		status        int
		code          string
	}{
		{"", 401, "unauthenticated"},
		{basic("caller:xxx"), 200, ""},
		{"", 401, "unauthenticated"},
		{basic("caller:www"), 401, "unauthenticated"},
		{basic("guest:xxx"), 403, "forbidden"},
		{basic("nobody:xxx"), 401, "unauthenticated"},
		{basic("nobody:"), 401, "unauthenticated"},
		{"Basic %%%", 401, "unauthenticated"},
		{"Bearer " + basic("caller:xxx"), 401, "unauthenticated"},
		{basic("caller:xxx"), 200, ""},
	} {
		header := http.Header{"Content-Type": {"application/json"}}
		if c.authorization != "" {
			header.Set("Authorization", c.authorization)
		}
		t.Run(c.authorization, func(t *testing.T) {
			got := process.send(http.MethodPost, "/services/json/ping", header, []byte("{}"))
			got.mustBe(t, c.status, c.code)
			if challenged := got.header.Get("WWW-Authenticate") == `Basic realm="remoting"`; challenged != (c.status == 401) {
				t.Errorf("the response has the header %q", got.header.Get("WWW-Authenticate"))
			}
		})
	}
}

func TestACertificateDecides(t *testing.T) {
	database, signs := pgtest.New(t), newAuthority(t)
	in := places(t).with(environment{"MM_DATABASE_URL": database.URL}).with(signs.signed("service", "service"))
	service := launch(t, in.with(environment{"MM_ROLE": settings.Service})).ready()
	foreign := newAuthority(t).signed("caller", "caller")
	foreign["MM_AUTHORITY"] = signs.file
	for _, c := range []struct {
		who    string
		shown  environment
		status int
		code   string
	}{
		{"caller", signs.signed("caller", "caller"), http.StatusOK, ""},
		{"guest", signs.signed("guest", "guest"), http.StatusForbidden, "forbidden"},
		{"of a foreign authority", foreign, http.StatusServiceUnavailable, "unavailable"},
	} {
		caller := launch(t, in.with(onlyClient(t)).with(c.shown))
		caller.listening()
		for _, protocol := range offering(access.Certificate) {
			t.Run(c.who+" over "+protocol, func(t *testing.T) {
				caller.call(protocol, "storeOrder", "").mustBe(t, c.status, c.code)
				caller.call(protocol, "storeOrder", "").mustBe(t, c.status, c.code)
			})
		}
	}
	t.Run("none, without encryption", func(t *testing.T) {
		service.send(http.MethodPost, "/services/json/storeOrder", nil, []byte("{}")).mustBe(t, http.StatusUnauthorized, "unauthenticated")
	})
	if stored, want := database.Text(`SELECT count(*) FROM orders`), "10"; stored != want {
		t.Errorf("%s orders are stored, want %s", stored, want)
	}
}
