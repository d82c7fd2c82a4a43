package client

import (
	"context"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"testing"

	"middlemark/refusals"
)

func TestARefusalWithoutACodeIsOfTheInputWhereItBlamesTheRequest(t *testing.T) {
	for _, c := range []struct {
		status  int
		body    string
		refused refusals.Code
	}{
		{http.StatusBadRequest, "<html></html>", refusals.InvalidInput},
		{http.StatusRequestEntityTooLarge, "", refusals.InvalidInput},
		{http.StatusBadRequest, "{}", refusals.InvalidInput},
		{http.StatusNotFound, "<html></html>", refusals.Unavailable},
		{http.StatusInternalServerError, "{}", refusals.Unavailable},
		{http.StatusBadRequest, `{"code": "lost", "message": "x"}`, refusals.Unavailable},
	} {
		for _, protocol := range []string{"json", "http-protobuf", "soap"} {
			if protocol != "soap" || c.body == "" || c.body[0] != '{' {
				mustRefuse(t, protocol, c.status, c.body, c.refused)
			}
		}
	}
	mustRefuse(t, "soap", http.StatusInternalServerError, faultOf("Client"), refusals.InvalidInput)
	mustRefuse(t, "soap", http.StatusInternalServerError, faultOf("Server"), refusals.Unavailable)
}

func faultOf(code string) string {
	return `<s:Envelope xmlns:s="http://schemas.xmlsoap.org/soap/envelope/"><s:Body><s:Fault><faultcode>s:` + code +
		`</faultcode><faultstring>x</faultstring></s:Fault></s:Body></s:Envelope>`
}

func mustRefuse(t *testing.T, protocol string, status int, body string, expected refusals.Code) {
	t.Helper()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		w.WriteHeader(status)
		_, _ = io.WriteString(w, body)
	}))
	defer server.Close()
	proxy := NewProxy(protocol, Target{Address: server.URL, Keep: true})
	defer proxy.Close()
	if err := proxy.Ping(context.Background()); !errors.Is(err, expected) {
		t.Errorf("%d %q over %s is %v, want %s", status, body, protocol, err, expected)
	}
}
