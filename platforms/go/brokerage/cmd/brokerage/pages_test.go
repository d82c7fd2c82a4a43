package main

import (
	"net/http"
	"net/url"
	"strings"
	"testing"

	"middlemark/brokerage/pgtest"
)

func TestTheMeasuredSessionSeesItsMarkers(t *testing.T) {
	eachBinding(t, nil, func(t *testing.T, p *process, _ *pgtest.Database) {
		b := p.login("uid:1")
		user := `<strong id="user">uid:1</strong>`
		for _, path := range []string{"/quotes?symbols=s:5,s:6,s:7,s:8", "/portfolio", "/account", "/home"} {
			p.get(b, path).mustHave(t, 200, user)
		}
		p.post(b, "/logout", nil).mustHave(t, 200, `data-page="welcome"`, "User uid:1 has logged out.")
		got := p.post(b, "/register", registration("new:1"))
		if got.status != 303 || got.header.Get("Location") != "/home" {
			t.Fatalf("register answers %d %s\n%s", got.status, got.header.Get("Location"), got.body)
		}
		for range 4 {
			p.post(b, "/buy", map[string]string{"symbol": "s:1", "quantity": "100"}).mustHave(t, 200, `data-page="order"`)
		}
		p.get(b, "/portfolio").mustHave(t, 200, `<strong id="user">new:1</strong>`, `id="alerts"`)
		p.post(b, "/logout", nil).mustHave(t, 200, `data-page="welcome"`)
	})
}

func registration(userID string) map[string]string {
	return map[string]string{
		"user_id": userID, "password": "xxx", "confirm_password": "xxx", "full_name": "New Customer",
		"address": "1 Market Street, Springfield", "email": "new@example.com", "credit_card": "4000-0000-0000-0000",
		"open_balance": "1000000",
	}
}

func TestAPageThatNeedsASessionSendsToTheWelcomePageWithoutOne(t *testing.T) {
	eachBinding(t, nil, func(t *testing.T, p *process, _ *pgtest.Database) {
		stranger := p.browser()
		for _, path := range []string{"/home", "/account", "/portfolio", "/quotes"} {
			mustRedirect(t, p.get(stranger, path), "/")
		}
		for _, path := range []string{"/account", "/quotes", "/buy", "/sell", "/logout"} {
			mustRedirect(t, p.post(stranger, path, nil), "/")
		}
		forger := p.browser()
		address, _ := url.Parse(p.url)
		forger.Jar.SetCookies(address, []*http.Cookie{{Name: "session", Value: strings.Repeat("A", 26)}})
		mustRedirect(t, p.get(forger, "/home"), "/")
	})
}

func mustRedirect(t *testing.T, got answer, to string) {
	t.Helper()
	if got.status != http.StatusSeeOther || got.header.Get("Location") != to {
		t.Errorf("the answer is %d to %q, want 303 to %q", got.status, got.header.Get("Location"), to)
	}
}

func TestASessionEndsByLogout(t *testing.T) {
	eachBinding(t, nil, func(t *testing.T, p *process, _ *pgtest.Database) {
		b := p.login("uid:1")
		address, _ := url.Parse(p.url)
		cookies := b.Jar.Cookies(address)
		p.post(b, "/logout", nil).mustHave(t, 200)
		if len(b.Jar.Cookies(address)) != 0 {
			t.Error("the cookie is still there")
		}
		b.Jar.SetCookies(address, cookies)
		mustRedirect(t, p.get(b, "/home"), "/")
	})
}

func TestAnAlertIsShownOnTheNextPageOnly(t *testing.T) {
	eachBinding(t, nil, func(t *testing.T, p *process, _ *pgtest.Database) {
		b := p.login("uid:1")
		for _, path := range []string{"/home", "/account", "/portfolio", "/quotes"} {
			order := p.post(b, "/buy", map[string]string{"symbol": "s:1", "quantity": "1"})
			if order.mustHave(t, 200); strings.Contains(order.body, `id="alerts"`) {
				t.Error("the order confirmation shows alerts")
			}
			p.get(b, path).mustHave(t, 200, `id="alerts"`)
			if again := p.get(b, path); strings.Contains(again.body, `id="alerts"`) {
				t.Errorf("%s shows the alert again", path)
			}
		}
	})
}

func TestARefusalIsShownWithItsStatus(t *testing.T) {
	eachBinding(t, nil, func(t *testing.T, p *process, _ *pgtest.Database) {
		b := p.login("uid:1")
		for _, c := range []struct {
			path, name string
			form       map[string]string
			status     int
			message    string
		}{
			{"/login", "welcome", map[string]string{"user_id": "uid:1"}, 400, "The password is missing."},
			{"/login", "welcome", map[string]string{"user_id": "uid:1", "password": "no"}, 403, "Unknown user or wrong password."},
			{"/register", "register", registration("uid:1"), 409, "The user id uid:1 is taken."},
			{"/register", "register", with(registration("x"), "confirm_password", "y"), 400, "The two passwords differ."},
			{"/register", "register", with(registration("x"), "open_balance", "a lot"), 400, "The opening balance must be an amount from 0.00 to 999999999.99."},
			{"/register", "register", with(with(registration("x"), "open_balance", "-1"), "full_name", ""), 400, "The full name is missing."},
			{"/account", "account", map[string]string{"full_name": " x"}, 400, "The full name must neither begin nor end with white space."},
			{"/quotes", "error", map[string]string{"symbols": strings.Repeat("s:1,", 21)}, 400, "Ask for 1 to 20 symbols."},
			{"/buy", "error", map[string]string{"symbol": "s:1", "quantity": "ten"}, 400, "The quantity must be a whole number from 1 to 1000000."},
			{"/buy", "error", map[string]string{"quantity": "ten"}, 400, "The symbol is missing."},
			{"/buy", "error", map[string]string{"symbol": "s:999", "quantity": "1"}, 404, "There is no symbol s:999."},
			{"/buy", "error", map[string]string{"symbol": "s:2", "quantity": "1000000"}, 409, "The order costs 168380024.95, the balance is 970144.74."},
			{"/sell", "error", map[string]string{"holding_id": "x"}, 400, "The holding id must be a whole number from 1."},
			{"/sell", "error", map[string]string{"holding_id": "11"}, 404, "User uid:1 has no holding 11."},
		} {
			got := p.post(b, c.path, c.form)
			got.mustHave(t, c.status, `data-page="`+c.name+`"`, ">"+c.message+"<")
		}
	})
}

func with(form map[string]string, name, value string) map[string]string {
	form[name] = value
	return form
}

func TestOnlyTheNamedAddressesAndMethodsExist(t *testing.T) {
	eachBinding(t, nil, func(t *testing.T, p *process, _ *pgtest.Database) {
		b := p.login("uid:1")
		p.get(b, "/nowhere").mustHave(t, 404, `data-page="error"`, "There is no page /nowhere.", "uid:1")
		p.get(b, "/config").mustHave(t, 404, `data-page="error"`)
		p.post(b, "/config", nil).mustHave(t, 404, `data-page="error"`)
		p.get(b, "/services/soap/").mustHave(t, 404, `data-page="error"`)
		for _, path := range []string{"/login", "/logout", "/buy", "/sell"} {
			got := p.get(b, path)
			got.mustHave(t, 405, `data-page="error"`, path+" does not answer GET.")
			if got.header.Get("Allow") != "POST" {
				t.Errorf("%s allows %q", path, got.header.Get("Allow"))
			}
		}
		for _, path := range []string{"/", "/home", "/portfolio", "/glossary", "/style.css"} {
			p.post(b, path, nil).mustHave(t, 405, `data-page="error"`)
		}
		head, err := b.Head(p.url + "/home")
		if got := p.answer(head, err); got.status != 200 || got.body != "" || got.header.Get("Content-Length") == "" {
			t.Errorf("HEAD answers %d %q", got.status, got.body)
		}
	})
}

func TestAnAddressIsNotCleaned(t *testing.T) {
	p := start(t, environment{"MM_DATABASE_URL": pgtest.New(t).URL}).ready()
	for _, path := range []string{"//home", "/home/", "/./home", "/x/../home", "/images/", "/images", "//health", "/services/json"} {
		p.get(p.client, path).mustHave(t, 404, `data-page="error"`, "There is no page "+path+".")
	}
	for _, operation := range []string{"", "/buy", "../json/buy", "buy/"} {
		p.get(p.client, "/services/json/"+operation).mustHave(t, 404, `"There is no operation `+operation+`."`)
	}
}

func TestEverythingTypedIsEscaped(t *testing.T) {
	eachBinding(t, nil, func(t *testing.T, p *process, _ *pgtest.Database) {
		b := p.browser()
		evil := `"><script>alert(1)</script>`
		form := registration(evil)
		for _, name := range []string{"full_name", "address", "email"} {
			form[name] = evil
		}
		mustRedirect(t, p.post(b, "/register", form), "/home")
		for _, got := range []answer{
			p.get(b, "/home"), p.get(b, "/account"), p.get(b, "/quotes?symbols=<script>"), p.get(b, "/<script>"),
			p.post(b, "/register", form), p.post(b, "/login", map[string]string{"user_id": evil, "password": "x"}),
			p.post(b, "/logout", nil),
		} {
			if strings.Contains(got.body, "<script") {
				t.Errorf("not escaped:\n%s", got.body)
			}
		}
	})
}

func TestPagesAreNotStored(t *testing.T) {
	p := start(t, environment{"MM_DATABASE_URL": pgtest.New(t).URL}).ready()
	got := p.get(p.client, "/")
	if got.header.Get("Cache-Control") != "no-store" || got.header.Get("Content-Type") != "text/html; charset=utf-8" {
		t.Errorf("the headers are %v", got.header)
	}
}

func TestAFormTooLargeIsRefused(t *testing.T) {
	p := start(t, environment{"MM_DATABASE_URL": pgtest.New(t).URL}).ready()
	form := map[string]string{"user_id": strings.Repeat("x", 70_000), "password": "xxx"}
	p.post(p.client, "/login", form).mustHave(t, 400, "The form cannot be read.")
}
