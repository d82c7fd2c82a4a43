package bindings_test

import (
	"bytes"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"os"
	"path"
	"slices"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"gopkg.in/yaml.v3"

	"middlemark/brokerage"
	"middlemark/brokerage/json"
	"middlemark/brokerage/pgtest"
)

// witness checks every request and every answer on its way against specs/brokerage/openapi.yaml.
type witness struct {
	t        *testing.T
	document map[string]any
	compiler *jsonschema.Compiler
	seen     map[string]bool
}

const documentURL = "mem://openapi.yaml"

func newWitness(t *testing.T) *witness {
	t.Helper()
	text, err := os.ReadFile(pgtest.SpecFile("openapi.yaml"))
	must(t, err)
	var document map[string]any
	must(t, yaml.Unmarshal(text, &document))
	compiler := jsonschema.NewCompiler()
	compiler.DefaultDraft(jsonschema.Draft2020)
	compiler.AssertFormat()
	must(t, compiler.AddResource(documentURL, document))
	return &witness{t: t, document: document, compiler: compiler, seen: make(map[string]bool)}
}

// RoundTrip implements http.RoundTripper.
func (w *witness) RoundTrip(request *http.Request) (*http.Response, error) {
	operation := path.Base(request.URL.Path)
	w.seen[operation] = true
	sent, err := io.ReadAll(request.Body)
	must(w.t, err)
	request.Body = io.NopCloser(bytes.NewReader(sent))
	response, err := http.DefaultTransport.RoundTrip(request)
	if err != nil {
		return nil, err
	}
	answered, err := io.ReadAll(response.Body)
	must(w.t, err)
	response.Body = io.NopCloser(bytes.NewReader(answered))
	at := "#/paths/~1" + operation + "/post/"
	w.validate(at+"requestBody/content/application~1json/schema", sent)
	if response.StatusCode == http.StatusOK {
		w.validate(at+"responses/200/content/application~1json/schema", answered)
	} else {
		w.validate(w.problemSchema(operation, response.Status[:3]), answered)
	}
	return response, nil
}

// problemSchema follows the reference to the shared response.
func (w *witness) problemSchema(operation, status string) string {
	at := any(w.document)
	for _, key := range []string{"paths", "/" + operation, "post", "responses", status, "$ref"} {
		within, ok := at.(map[string]any)
		if !ok || within[key] == nil {
			w.t.Fatalf("openapi.yaml does not know that %s answers %s", operation, status)
		}
		at = within[key]
	}
	return at.(string) + "/content/application~1problem+json/schema"
}

func (w *witness) validate(pointer string, body []byte) {
	w.t.Helper()
	schema, err := w.compiler.Compile(documentURL + pointer)
	must(w.t, err)
	instance, err := jsonschema.UnmarshalJSON(bytes.NewReader(body))
	must(w.t, err)
	if err := schema.Validate(instance); err != nil {
		w.t.Errorf("%s: %v", body, err)
	}
}

func TestEveryOperationKeepsToOpenAPI(t *testing.T) {
	w := newWitness(t)
	server := httptest.NewServer(json.Handler(local(t, pgtest.New(t)), silent))
	t.Cleanup(server.Close)
	d, ctx := desk{Services: json.NewClient(server.URL, w)}, t.Context()

	must(t, d.Ping(ctx))
	d.newUser(t, "new", 100_000_00)
	_, err := d.Login(ctx, "new", "secret")
	must(t, err)
	order, err := d.Buy(ctx, "new", "s:1", 100)
	must(t, err)
	profile, err := d.GetProfile(ctx, "new")
	must(t, err)
	for _, perform := range []func() error{
		func() error { _, err := d.UpdateProfile(ctx, profile, ""); return err },
		func() error { _, err := d.GetAccount(ctx, "new"); return err },
		func() error { _, err := d.GetHoldings(ctx, "new"); return err },
		func() error { _, err := d.GetHolding(ctx, "new", *order.HoldingID); return err },
		func() error { _, err := d.GetOrders(ctx, "new", 5); return err },
		func() error { _, err := d.GetClosedOrders(ctx, "new"); return err },
		func() error { _, err := d.GetQuote(ctx, "s:1"); return err },
		func() error { _, err := d.GetQuotes(ctx, []string{"s:1", "s:2"}); return err },
		func() error { _, err := d.GetMarketSummary(ctx); return err },
		func() error { _, err := d.Sell(ctx, "new", *order.HoldingID); return err },
		func() error { return d.Logout(ctx, "new") },
	} {
		must(t, perform())
	}
	_, err = d.Login(ctx, "new", "wrong")
	mustBe(t, err, brokerage.AuthenticationFailed)
	_, err = d.Buy(ctx, "new", "s:999", 1)
	mustBe(t, err, brokerage.UnknownSymbol)
	_, err = d.Buy(ctx, "new", "s:1", 1_000_000)
	mustBe(t, err, brokerage.InsufficientFunds)
	_, err = d.GetQuote(ctx, " ")
	mustBe(t, err, brokerage.InvalidInput)

	var documented []string
	for address := range w.document["paths"].(map[string]any) {
		documented = append(documented, strings.TrimPrefix(address, "/"))
	}
	slices.Sort(documented)
	if seen := slices.Sorted(maps.Keys(w.seen)); !slices.Equal(seen, documented) {
		t.Errorf("openapi.yaml documents %v, the client calls %v", documented, seen)
	}
}
