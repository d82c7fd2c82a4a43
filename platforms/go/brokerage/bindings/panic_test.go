package bindings_test

import (
	"bytes"
	"context"
	"log/slog"
	"net/http"
	"strings"
	"testing"

	"google.golang.org/grpc/codes"

	"middlemark/brokerage"
	"middlemark/brokerage/grpc"
	"middlemark/brokerage/grpc/wire"
	"middlemark/brokerage/json"
	"middlemark/brokerage/soap"
)

// panicking is services in which an operation fails in a way that nobody has foreseen.
type panicking struct{ brokerage.Services }

func (panicking) GetAccount(context.Context, string) (brokerage.Account, error) { panic("broken") }

const internalMessage = "Something went wrong. The details are in the log."

func TestACallThatPanicsIsAnsweredAndLogged(t *testing.T) {
	log := new(bytes.Buffer)
	server := grpc.NewServer(panicking{}, slog.New(slog.NewTextHandler(log, nil)))
	status, code, message := called(t, dialled(t, offered(t, server)), "GetAccount", &wire.User{UserId: "uid:1"})
	if status != codes.Internal || code != "internal" || message != internalMessage {
		t.Errorf("the call gave %s %q %q", status, code, message)
	}
	server.Stop() // the log is written before
	mustTell(t, log)
}

func TestAJSONRequestThatPanicsIsAnsweredWithAProblemAndLogged(t *testing.T) {
	log := new(bytes.Buffer)
	url := serve(t, json.Handler(panicking{}, slog.New(slog.NewTextHandler(log, nil)))) + json.Path + "getAccount"
	status, contentType, body := post(t, url, `{"userId":"uid:1"}`)
	want := `{"type":"about:blank","title":"internal","status":500,"detail":"` + internalMessage + `","code":"internal"}`
	if status != http.StatusInternalServerError || contentType != "application/problem+json" || body != want {
		t.Errorf("the answer is %d %s %s", status, contentType, body)
	}
	mustTell(t, log)
}

func TestASOAPRequestThatPanicsIsAnsweredWithAFaultAndLogged(t *testing.T) {
	log := new(bytes.Buffer)
	url := serve(t, soap.Handler(panicking{}, slog.New(slog.NewTextHandler(log, nil)))) + soap.Path
	status, contentType, body := post(t, url, operation("getAccount", `<userId>uid:1</userId>`))
	want := faulted("Server", "internal", internalMessage)
	if status != http.StatusInternalServerError || contentType != "text/xml; charset=utf-8" || body != want {
		t.Errorf("the answer is %d %s %s", status, contentType, body)
	}
	mustTell(t, log)
}

// mustTell fails unless the log names the reason and the place of the panic.
func mustTell(t *testing.T, log *bytes.Buffer) {
	t.Helper()
	if !strings.Contains(log.String(), "panic: broken") || !strings.Contains(log.String(), "panicking.GetAccount") {
		t.Errorf("the log is %q", log)
	}
}
