package bindings_test

import (
	stdjson "encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"middlemark/brokerage/json"
	"middlemark/brokerage/pgtest"
)

// jsonWire is the handler as a stranger sees it.
type jsonWire struct {
	t   *testing.T
	url string
}

func newJSONWire(t *testing.T) jsonWire {
	server := httptest.NewServer(json.Handler(local(t, pgtest.New(t)), silent))
	t.Cleanup(server.Close)
	return jsonWire{t, server.URL + json.Path}
}

func (w jsonWire) send(method, operation, body string) (status int, contentType, answer string) {
	w.t.Helper()
	request, err := http.NewRequestWithContext(w.t.Context(), method, w.url+operation, strings.NewReader(body))
	must(w.t, err)
	response, err := http.DefaultClient.Do(request)
	must(w.t, err)
	defer func() { _ = response.Body.Close() }()
	read, err := io.ReadAll(response.Body)
	must(w.t, err)
	return response.StatusCode, response.Header.Get("Content-Type"), string(read)
}

func TestAProblemHasTheFormOfTheSpecification(t *testing.T) {
	status, contentType, body := newJSONWire(t).send("POST", "getAccount", `{"userId":"nobody"}`)
	want := `{"type":"about:blank","title":"unknown_user","status":404,"detail":"There is no user nobody.","code":"unknown_user"}`
	if status != http.StatusNotFound || contentType != "application/problem+json" || body != want {
		t.Errorf("the answer is %d %s %s", status, contentType, body)
	}
}

func TestAnAnswerHasTheFormOfTheSpecification(t *testing.T) {
	w := newJSONWire(t)
	for _, c := range []struct{ operation, request, want string }{
		{"ping", `{}`, `{}`},
		{"logout", `{"userId":"uid:2"}`, `{}`},
		{
			"getHolding", `{"userId":"uid:1","holdingId":6}`, `{"holdingId":6,"symbol":"s:5","quantity":56,"purchasePrice":"25.93",` +
				`"purchaseTime":"2019-01-01T00:00:51.000000Z","price":"25.93","beingSold":false}`,
		},
		{
			"getOrders", `{"userId":"uid:1","limit":1}`, `{"orders":[{"orderId":10,"type":"buy","status":"closed","symbol":"s:9","quantity":80,` +
				`"price":"152.68","fee":"24.95","total":"12239.35","openTime":"2019-01-01T00:01:30.000000Z","completionTime":"2019-01-01T00:01:31.000000Z",` +
				`"holdingId":10}]}`,
		},
		{"getClosedOrders", `{"userId":"uid:1"}`, `{"orders":[]}`},
		{"getQuotes", `{"symbols":["s:999"]}`, `{"quotes":[]}`},
	} {
		status, contentType, body := w.send("POST", c.operation, c.request)
		if status != http.StatusOK || contentType != "application/json" || body != c.want {
			t.Errorf("%s answers %d %s %s\nwant %s", c.operation, status, contentType, body, c.want)
		}
	}
}

func TestARequestIsReadStrictly(t *testing.T) {
	w := newJSONWire(t)
	for _, c := range []struct{ sentence, operation, request, detail string }{
		{"an unknown key", "getAccount", `{"userId":"uid:1","x":1}`, "The key x is unknown."},
		{"a key in another case", "getAccount", `{"UserId":"uid:1"}`, "The key userId is missing."},
		{"a missing key", "buy", `{"userId":"uid:1","symbol":"s:1"}`, "The key quantity is missing."},
		{"null", "getAccount", `{"userId":null}`, "The key userId is missing."},
		{"a number for a text", "getAccount", `{"userId":1}`, "The key userId must be text."},
		{"a text for a number", "buy", `{"userId":"uid:1","symbol":"s:1","quantity":"1"}`, "The key quantity must be a whole number."},
		{"a fraction", "buy", `{"userId":"uid:1","symbol":"s:1","quantity":1.5}`, "The key quantity must be a whole number."},
		{"a number too large", "buy", `{"userId":"uid:1","symbol":"s:1","quantity":99999999999999999999}`, "The key quantity must be a whole number."},
		{"a limit that wraps around", "getOrders", `{"userId":"uid:1","limit":4294967297}`, "The limit must be a whole number from 1 to 100."},
		{"a text for a list", "getQuotes", `{"symbols":"s:1"}`, "The key symbols must be a list."},
		{"a number in a list", "getQuotes", `{"symbols":[1]}`, "The key symbols must be text."},
		{"null in a list", "getQuotes", `{"symbols":["s:1",null]}`, "The key symbols is missing."},
		{"no symbols", "getQuotes", `{"symbols":[]}`, "Ask for 1 to 20 symbols."},
		{"an array", "ping", `[]`, "The request must be one JSON object."},
		{"null alone", "ping", `null`, "The request must be one JSON object."},
		{"nothing", "ping", ``, "The request must be one JSON object."},
		{"two objects", "ping", `{}{}`, "The request must be one JSON object."},
		{"too much", "ping", `{"x":"` + strings.Repeat("x", 70_000) + `"}`, "The request must be one JSON object."},
		{"the key of the first value before the type of a later one", "buy", `{"quantity":"1","userId":"uid:1"}`, "The key symbol is missing."},
		{"the first value before those that stand before it", "buy", `{"quantity":"1","symbol":1,"userId":2}`, "The key userId must be text."},
		{"a value before an unknown key", "getAccount", `{"x":1,"userId":1}`, "The key userId must be text."},
		{"several unknown keys", "ping", `{"d":1,"b":1,"a":1,"c":1,"e":1}`, "The key a is unknown."},
		{"a control character", "login", `{"userId":"a\u0000","password":"xxx"}`, "The user id must not contain control characters."},
		{"money as a number", "register", registration(`1000`), `An amount must be text such as "1234.50".`},
		{"money with one decimal", "register", registration(`"1000.5"`), `An amount must be text such as "1234.50".`},
		{"too much money", "register", registration(`"1000000000.00"`), "The opening balance must be an amount from 0.00 to 999999999.99."},
	} {
		t.Run(c.sentence, func(t *testing.T) {
			status, _, body := w.send("POST", c.operation, c.request)
			var problem struct{ Code, Detail string }
			must(t, stdjson.Unmarshal([]byte(body), &problem))
			if status != http.StatusBadRequest || problem.Code != "invalid_input" || problem.Detail != c.detail {
				t.Errorf("the answer is %d %s, want %q", status, body, c.detail)
			}
		})
	}
}

func registration(openBalance string) string {
	return `{"userId":"new","password":"xxx","fullName":"New","address":"","email":"","creditCard":"","openBalance":` + openBalance + `}`
}

func TestWhatIsNoOperationIsUnknown(t *testing.T) {
	w := newJSONWire(t)
	for _, c := range [][2]string{{"POST", "fly"}, {"GET", "ping"}, {"POST", ""}, {"POST", "Ping"}, {"POST", "ping/"}} {
		status, contentType, body := w.send(c[0], c[1], `{}`)
		if status != http.StatusNotFound || contentType != "application/problem+json" || !strings.Contains(body, "unknown_operation") {
			t.Errorf("%s %s answers %d %s", c[0], c[1], status, body)
		}
	}
}

func TestWhatIsNoUnicodeIsNoJSONObject(t *testing.T) {
	w := newJSONWire(t)
	for _, text := range []string{
		"\xff", "\xc0\x80", "\xed\xa0\x80", "\xc3", // bytes that are not UTF-8
		`\ud800`, `\uDFFF`, `\udc00\ud800`, `\ud83d\ud83d\ude00`, `\ud83d \ude00`, `\ud83d\n`, `\\\ud800`,
	} {
		for _, request := range []string{`{"symbol":"` + text + `"}`, `{"symbol":"s:1","` + text + `":1}`} {
			status, _, body := w.send("POST", "getQuote", request)
			if status != http.StatusBadRequest || !strings.Contains(body, "The request must be one JSON object.") {
				t.Errorf("%q: the answer is %d %s", request, status, body)
			}
		}
	}
	for text, read := range map[string]string{
		`\ud83d\ude00`: "😀", `\uD83D\uDE00\uD83D\uDE00`: "😀😀", `\\ud800`: `\\ud800`, `\ud7ff\ue000`: "\ud7ff\ue000", `\ufffd`: "\ufffd",
	} {
		status, _, body := w.send("POST", "getQuote", `{"symbol":"`+text+`"}`)
		if status != http.StatusNotFound || !strings.Contains(body, "There is no symbol "+read+".") {
			t.Errorf("%s: the answer is %d %s", text, status, body)
		}
	}
}
