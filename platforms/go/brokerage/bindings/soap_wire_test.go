package bindings_test

import (
	"encoding/xml"
	"io"
	"net/http"
	"os"
	"strings"
	"testing"

	"middlemark/brokerage/pgtest"
	"middlemark/brokerage/soap"
)

// newSOAPWire is the address at which a stranger finds the handler.
func newSOAPWire(t *testing.T) string {
	mux := http.NewServeMux()
	mux.Handle(soap.Path, soap.Handler(local(t, pgtest.New(t)), silent))
	return serve(t, mux) + soap.Path
}

// post sends a body and answers status, content type and body.
func post(t *testing.T, url, body string) (status int, contentType, answer string) {
	t.Helper()
	response, err := http.Post(url, "text/plain", strings.NewReader(body))
	must(t, err)
	defer func() { _ = response.Body.Close() }()
	read, err := io.ReadAll(response.Body)
	must(t, err)
	return response.StatusCode, response.Header.Get("Content-Type"), string(read)
}

func envelope(body string) string {
	return `<e:Envelope xmlns:e="http://schemas.xmlsoap.org/soap/envelope/"><e:Body>` + body + `</e:Body></e:Envelope>`
}

func operation(name, elements string) string {
	return envelope(`<` + name + ` xmlns="urn:middlemark:brokerage:1">` + elements + `</` + name + `>`)
}

func answered(body string) string {
	return xml.Header + `<soap:Envelope xmlns:soap="http://schemas.xmlsoap.org/soap/envelope/"><soap:Body>` + body + `</soap:Body></soap:Envelope>`
}

func faulted(faultcode, code, message string) string {
	return answered(`<soap:Fault><faultcode>soap:` + faultcode + `</faultcode><faultstring>` + message + `</faultstring><detail><code>` +
		code + `</code></detail></soap:Fault>`)
}

func TestASOAPAnswerHasTheFormOfTheSpecification(t *testing.T) {
	url := newSOAPWire(t)
	for _, c := range []struct{ operation, elements, want string }{
		{"ping", ``, ``},
		{"logout", `<userId>uid:2</userId>`, ``},
		{
			"getHolding", `<userId>uid:1</userId><holdingId>6</holdingId>`, `<holdingId>6</holdingId><symbol>s:5</symbol><quantity>56</quantity>` +
				`<purchasePrice>25.93</purchasePrice><purchaseTime>2019-01-01T00:00:51.000000Z</purchaseTime><price>25.93</price><beingSold>false</beingSold>`,
		},
		{
			"getOrders", `<userId>uid:1</userId><limit>1</limit>`, `<orders><orderId>10</orderId><type>buy</type><status>closed</status>` +
				`<symbol>s:9</symbol><quantity>80</quantity><price>152.68</price><fee>24.95</fee><total>12239.35</total>` +
				`<openTime>2019-01-01T00:01:30.000000Z</openTime><completionTime>2019-01-01T00:01:31.000000Z</completionTime>` +
				`<holdingId>10</holdingId></orders>`,
		},
		{"getClosedOrders", `<userId>uid:1</userId>`, ``},
		{"getQuotes", `<symbols>s:999</symbols>`, ``},
	} {
		status, contentType, body := post(t, url, operation(c.operation, c.elements))
		want := answered(`<` + c.operation + `Response xmlns="urn:middlemark:brokerage:1">` + c.want + `</` + c.operation + `Response>`)
		if status != http.StatusOK || contentType != "text/xml; charset=utf-8" || body != want {
			t.Errorf("%s answers %d %s %s\nwant %s", c.operation, status, contentType, body, want)
		}
	}
}

func TestTextIsEscapedInXMLAndReadBack(t *testing.T) {
	url := newSOAPWire(t)
	texts := `<userId>a&lt;b&#62;&amp;&quot;'é</userId><password><![CDATA[]]>xxx</password><fullName>N<?x y?>e<!-- z -->w</fullName><address/>` +
		`<email></email><creditCard/><openBalance> 1000.00
 </openBalance>`
	if status, _, body := post(t, url, operation("register", texts)); status != http.StatusOK ||
		!strings.Contains(body, `<userId>a&lt;b&gt;&amp;&#34;&#39;é</userId>`) || !strings.Contains(body, `<balance>1000.00</balance>`) {
		t.Fatalf("the answer is %d %s", status, body)
	}
	_, _, body := post(t, url, operation("getProfile", `<userId>a&lt;b>&amp;"'é</userId>`))
	if !strings.Contains(body, `<fullName>New</fullName><address></address>`) {
		t.Errorf("the profile is %s", body)
	}
}

func TestARefusalOverSOAPIsAFault(t *testing.T) {
	url := newSOAPWire(t)
	for _, c := range []struct{ operation, elements, code, message string }{
		{"getAccount", `<userId>nobody</userId>`, "unknown_user", "There is no user nobody."},
		{"getAccount", `<userId>&lt;b></userId>`, "unknown_user", "There is no user &lt;b&gt;."},
		{"login", `<userId>uid:1</userId><password>yyy</password>`, "authentication_failed", "Unknown user or wrong password."},
		{"getQuote", `<symbol>s:999</symbol>`, "unknown_symbol", "There is no symbol s:999."},
		{"sell", `<userId>uid:1</userId><holdingId>1</holdingId>`, "unknown_holding", "User uid:1 has no holding 1."},
		{"fly", ``, "unknown_operation", "There is no operation fly."},
		{"Ping", ``, "unknown_operation", "There is no operation Ping."},
		{"pingResponse", ``, "unknown_operation", "There is no operation pingResponse."},
	} {
		status, contentType, body := post(t, url, operation(c.operation, c.elements))
		if want := faulted("Client", c.code, c.message); status != 500 || contentType != "text/xml; charset=utf-8" || body != want {
			t.Errorf("%s answers %d %s %s\nwant %s", c.operation, status, contentType, body, want)
		}
	}
}

func TestASOAPRequestIsReadStrictly(t *testing.T) {
	url := newSOAPWire(t)
	user := `<userId>uid:1</userId>`
	for _, c := range []struct{ sentence, operation, elements, message string }{
		{"an unknown element", "getAccount", user + `<x/>`, "The key x is unknown."},
		{"an element in another case", "getAccount", `<UserId>uid:1</UserId>`, "The key userId is missing."},
		{"an element in no namespace", "getAccount", `<userId xmlns="">uid:1</userId>`, "The key userId is missing."},
		{"one more in no namespace", "getAccount", user + `<userId xmlns="">uid:1</userId>`, "The key userId is unknown."},
		{"a second one where no list is", "getAccount", user + user, "The key userId is unknown."},
		{"a missing element", "buy", user + `<symbol>s:1</symbol>`, "The key quantity is missing."},
		{"nil", "getAccount", `<userId i:nil="true" xmlns:i="http://www.w3.org/2001/XMLSchema-instance"/>`, "The key userId is missing."},
		{"an element in a text", "getAccount", `<userId>uid:1<b/></userId>`, "The key userId must be text."},
		{"an element in a list of texts", "getQuotes", `<symbols>s:1</symbols><symbols><b/></symbols>`, "The key symbols must be text."},
		{"a text for a number", "buy", user + `<symbol>s:1</symbol><quantity>one</quantity>`, "The key quantity must be a whole number."},
		{"a fraction", "buy", user + `<symbol>s:1</symbol><quantity>1.0</quantity>`, "The key quantity must be a whole number."},
		{"an empty number", "buy", user + `<symbol>s:1</symbol><quantity/>`, "The key quantity must be a whole number."},
		{"a number too large", "sell", user + `<holdingId>99999999999999999999</holdingId>`, "The key holdingId must be a whole number."},
		{"no symbols", "getQuotes", ``, "Ask for 1 to 20 symbols."},
		{"an empty text", "getAccount", `<userId/>`, "The user id is missing."},
		{"white space in a text", "getAccount", `<userId> uid:1</userId>`, "The user id must neither begin nor end with white space."},
		{"a control character", "getAccount", `<userId>a&#9;</userId>`, "The user id must not contain control characters."},
		{"the first value before those that stand before it", "buy", `<quantity>x</quantity><symbol><b/></symbol>`, "The key userId is missing."},
		{"a value before an unknown element", "getAccount", `<x/>`, "The key userId is missing."},
		{"several unknown elements", "ping", `<d/><b/><a/><c/>`, "The key a is unknown."},
		{"money with one decimal", "register", soapRegistration(`1000.5`), `An amount must be text such as &#34;1234.50&#34;.`},
		{"money as XML Schema would write it", "register", soapRegistration(`+1000.50`), `An amount must be text such as &#34;1234.50&#34;.`},
		{"too much money", "register", soapRegistration(`1000000000.00`), "The opening balance must be an amount from 0.00 to 999999999.99."},
	} {
		t.Run(c.sentence, func(t *testing.T) {
			status, _, body := post(t, url, operation(c.operation, c.elements))
			if want := faulted("Client", "invalid_input", c.message); status != 500 || body != want {
				t.Errorf("the answer is %d %s\nwant %s", status, body, want)
			}
		})
	}
}

func soapRegistration(openBalance string) string {
	return `<userId>new</userId><password>xxx</password><fullName>New</fullName><address/><email/><creditCard/>` +
		`<openBalance>` + openBalance + `</openBalance>`
}

func TestWhatIsNoEnvelopeIsRefused(t *testing.T) {
	url := newSOAPWire(t)
	ping := operation("ping", "")
	for sentence, body := range map[string]string{
		"nothing":                   ``,
		"no XML":                    `{}`,
		"text before the envelope":  `x` + ping,
		"text after the envelope":   ping + `x`,
		"two envelopes":             ping + ping,
		"an end that is missing":    strings.TrimSuffix(ping, `</e:Envelope>`),
		"a document type":           `<!DOCTYPE x [<!ENTITY y "z">]>` + ping,
		"an entity nobody declared": operation("getAccount", `<userId>&y;</userId>`),
		"a prefix nobody declared":  envelope(`<m:ping/>`),
		"another encoding":          `<?xml version="1.0" encoding="ISO-8859-1"?>` + ping,
		"SOAP 1.2":                  strings.ReplaceAll(ping, "http://schemas.xmlsoap.org/soap/envelope/", "http://www.w3.org/2003/05/soap-envelope"),
		"no body":                   `<e:Envelope xmlns:e="http://schemas.xmlsoap.org/soap/envelope/"/>`,
		"an empty body":             envelope(``),
		"two operations":            envelope(`<ping xmlns="urn:middlemark:brokerage:1"/><ping xmlns="urn:middlemark:brokerage:1"/>`),
		"too much":                  operation("ping", `<!--`+strings.Repeat("x", 64<<10)+`-->`),
		"bytes that are not UTF-8":  operation("getAccount", "<userId>\xff</userId>"),
	} {
		status, _, answer := post(t, url, body)
		if want := faulted("Client", "invalid_input", "The request must be one SOAP envelope."); status != 500 || answer != want {
			t.Errorf("%s: the answer is %d %s", sentence, status, answer)
		}
	}
	for sentence, body := range map[string]string{
		"a byte order mark": "\uFEFF" + ping,
		"a declaration":     xml.Header + ping,
		"a header that need not be understood": strings.Replace(ping, "<e:Body>",
			`<e:Header><x xmlns="urn:x" e:mustUnderstand="0"/></e:Header><e:Body>`, 1),
		"an operation with a prefix": envelope(`<m:ping xmlns:m="urn:middlemark:brokerage:1"/>`),
		"a comment of 60,000 bytes":  operation("ping", `<!--`+strings.Repeat("x", 60_000)+`-->`),
	} {
		if status, _, answer := post(t, url, body); status != http.StatusOK {
			t.Errorf("%s: the answer is %d %s", sentence, status, answer)
		}
	}
}

func TestAHeaderThatMustBeUnderstoodIsRefused(t *testing.T) {
	body := strings.Replace(operation("ping", ""), "<e:Body>",
		`<e:Header><e:x xmlns="urn:x"/><Security xmlns="urn:x" e:mustUnderstand="1"/></e:Header><e:Body>`, 1)
	status, _, answer := post(t, newSOAPWire(t), body)
	if want := faulted("MustUnderstand", "invalid_input", "The header Security is not understood."); status != 500 || answer != want {
		t.Errorf("the answer is %d %s", status, answer)
	}
}

func TestTheServedWSDLIsTheSpecificationsWithTheAddressAskedUnder(t *testing.T) {
	url := newSOAPWire(t)
	text, err := os.ReadFile(pgtest.SpecFile("brokerage.wsdl"))
	must(t, err)
	want := strings.ReplaceAll(string(text), "http://127.0.0.1:8080/services/soap", url)
	if want == string(text) {
		t.Fatal("the specification's address is another one")
	}
	for _, query := range []string{"?wsdl", "?WSDL"} {
		response, err := http.Get(url + query)
		must(t, err)
		body, err := io.ReadAll(response.Body)
		must(t, err)
		_ = response.Body.Close()
		if response.StatusCode != 200 || response.Header.Get("Content-Type") != "text/xml; charset=utf-8" || string(body) != want {
			t.Errorf("%s answers %d and not specs/brokerage/brokerage.wsdl: copy it to platforms/go/brokerage/soap", query, response.StatusCode)
		}
	}
}

func TestOnlyPostsAndTheDescriptionAreAnswered(t *testing.T) {
	url := newSOAPWire(t)
	for _, c := range [][2]string{{"GET", ""}, {"GET", "?wsdl=1"}, {"PUT", "?wsdl"}, {"DELETE", ""}} {
		request, err := http.NewRequestWithContext(t.Context(), c[0], url+c[1], nil)
		must(t, err)
		response, err := http.DefaultClient.Do(request)
		must(t, err)
		_ = response.Body.Close()
		if response.StatusCode != http.StatusMethodNotAllowed || response.Header.Get("Allow") != "GET, POST" {
			t.Errorf("%s %s answers %d", c[0], c[1], response.StatusCode)
		}
	}
}
