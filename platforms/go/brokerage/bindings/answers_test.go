package bindings_test

import (
	"context"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"

	stdgrpc "google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/status"

	"middlemark/brokerage"
	"middlemark/brokerage/grpc/wire"
	"middlemark/refusals"
)

// mustBeNoAnswer fails unless an account is asked for in vain.
func mustBeNoAnswer(t *testing.T, services brokerage.Services) {
	t.Helper()
	account, err := services.GetAccount(t.Context(), "uid:1")
	if !errors.Is(err, refusals.Unavailable) || account != (brokerage.Account{}) {
		t.Errorf("the caller reads %+v, %v", account, err)
	}
}

func envelope(body string) string {
	return `<s:Envelope xmlns:s="http://schemas.xmlsoap.org/soap/envelope/"><s:Body>` + body + `</s:Body></s:Envelope>`
}

func TestAnAnswerOverHTTPThatCannotBeReadIsNone(t *testing.T) {
	for _, c := range []struct {
		sentence, binding string
		status            int
		body              string
	}{
		{"nothing", "json", 200, ``},
		{"a page", "json", 200, `<html></html>`},
		{"a list", "json", 200, `[]`},
		{"half an answer", "json", 200, `{"accountId":2,"userId"`},
		{"money that is none", "json", 200, `{"balance":"lots"}`},
		{"a time that is none", "json", 200, `{"lastLogin":"yesterday"}`},
		{"a redirection", "json", 302, ``},
		{"an error without a problem", "json", 500, `{}`},
		{"a problem with another code", "json", 404, `{"status":404,"detail":"There is no user x.","code":"lost_user"}`},
		{"nothing", "soap", 200, ``},
		{"a page", "soap", 200, `<html></html>`},
		{"an empty body", "soap", 200, envelope(``)},
		{"another answer", "soap", 200, envelope(`<getProfileResponse xmlns="urn:middlemark:brokerage:1"/>`)},
		{"half an answer", "soap", 200, envelope(`<getAccountResponse xmlns="urn:middlemark:brokerage:1"/>`)[:120]},
		{"money that is none", "soap", 200, envelope(`<getAccountResponse xmlns="urn:middlemark:brokerage:1"><balance>lots</balance></getAccountResponse>`)},
		{"a fault without a code", "soap", 500, envelope(`<s:Fault><faultcode>s:Client</faultcode><faultstring>x</faultstring></s:Fault>`)},
	} {
		t.Run(c.sentence+" over "+c.binding, func(t *testing.T) {
			server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				_, _ = io.Copy(io.Discard, r.Body)
				w.WriteHeader(c.status)
				_, _ = io.WriteString(w, c.body)
			}))
			t.Cleanup(server.Close)
			mustBeNoAnswer(t, client(t, c.binding, server.Listener.Addr(), 1))
		})
	}
}

// wrongOffer answers every account in one way.
type wrongOffer struct {
	wire.UnimplementedBrokerageServer
	answer func(ctx context.Context) (*wire.Account, error)
}

func (o wrongOffer) GetAccount(ctx context.Context, _ *wire.User) (*wire.Account, error) {
	return o.answer(ctx)
}

func TestAnAnswerOverGRPCThatCannotBeReadIsNone(t *testing.T) {
	for sentence, answer := range map[string]func(context.Context) (*wire.Account, error){
		"an amount that is none": func(context.Context) (*wire.Account, error) {
			return &wire.Account{OpenBalance: "1.00", Balance: "lots"}, nil
		},
		"a status without a code": func(context.Context) (*wire.Account, error) {
			return nil, status.Error(codes.NotFound, "There is no user x.")
		},
		"a status with another code": func(ctx context.Context) (*wire.Account, error) {
			_ = stdgrpc.SetTrailer(ctx, metadata.Pairs("middlemark-code", "lost_user"))
			return nil, status.Error(codes.NotFound, "There is no user x.")
		},
	} {
		t.Run(sentence, func(t *testing.T) {
			server, listener := stdgrpc.NewServer(), listen(t)
			wire.RegisterBrokerageServer(server, wrongOffer{answer: answer})
			go func() { _ = server.Serve(listener) }() // the calls tell what goes wrong
			t.Cleanup(server.Stop)
			mustBeNoAnswer(t, client(t, "grpc", listener.Addr(), 1))
		})
	}
}

func TestWhereNobodyListensNothingIsAnswered(t *testing.T) {
	listener := listen(t)
	if err := listener.Close(); err != nil {
		t.Fatal(err)
	}
	for _, binding := range bindings {
		t.Run("over "+binding, func(t *testing.T) { mustBeNoAnswer(t, client(t, binding, listener.Addr(), 1)) })
	}
}

func TestAnOrderIsNotSentWhereAnAnswerPointsTo(t *testing.T) {
	for _, binding := range []string{"soap", "json"} {
		t.Run("over "+binding, func(t *testing.T) {
			var sent atomic.Int64
			server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				sent.Add(1)
				http.Redirect(w, r, strings.TrimSuffix(r.URL.Path, "/elsewhere")+"/elsewhere", http.StatusTemporaryRedirect)
			}))
			t.Cleanup(server.Close)
			_, err := client(t, binding, server.Listener.Addr(), 1).Buy(t.Context(), "uid:1", "s:1", 1)
			if !errors.Is(err, refusals.Unavailable) || sent.Load() != 1 {
				t.Errorf("it was sent %d times and gave %v", sent.Load(), err)
			}
		})
	}
}
