package bindings_test

import (
	"context"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	stdgrpc "google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/known/timestamppb"

	"middlemark/brokerage"
	"middlemark/brokerage/exchange"
	"middlemark/brokerage/grpc"
	"middlemark/brokerage/grpc/wire"
	"middlemark/brokerage/json"
	"middlemark/brokerage/soap"
)

const (
	jsonAccount = `{"accountId":2,"userId":"uid:1","creationTime":"2026-01-31T08:00:00.123456Z","openBalance":"1.00","balance":"1.00",` +
		`"loginCount":1,"logoutCount":0,"lastLogin":"2026-01-31T08:00:00.123456Z"}`
	soapAccount = `<accountId>2</accountId><userId>uid:1</userId><creationTime>2026-01-31T08:00:00.123456Z</creationTime>` +
		`<openBalance>1.00</openBalance><balance>1.00</balance><loginCount>1</loginCount><logoutCount>0</logoutCount>` +
		`<lastLogin>2026-01-31T08:00:00.123456Z</lastLogin>`
	problem = `{"type":"about:blank","title":"unknown_user","status":404,"detail":"There is no user x.","code":"unknown_user"}`
)

// answering is a server that gives every request one answer.
func answering(t *testing.T, status int, body string) string {
	return serve(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		w.WriteHeader(status)
		_, _ = io.WriteString(w, body)
	}))
}

// mustBeNoAnswer fails unless an account is asked for in vain.
func mustBeNoAnswer(t *testing.T, services brokerage.Services) {
	t.Helper()
	account, err := services.GetAccount(t.Context(), "uid:1")
	mustBe(t, err, brokerage.Unavailable, "The service is not available at the moment. Please try again.")
	if account != (brokerage.Account{}) {
		t.Errorf("an account is answered all the same: %+v", account)
	}
}

func TestAnAnswerOverJSONThatBreaksItsDescriptionIsNone(t *testing.T) {
	for sentence, c := range map[string]struct {
		status int
		body   string
	}{
		"an empty object":             {200, `{}`},
		"nothing":                     {200, ``},
		"a page":                      {200, `<html></html>`},
		"null":                        {200, `null`},
		"a list":                      {200, `[` + jsonAccount + `]`},
		"a missing key":               {200, strings.Replace(jsonAccount, `"balance":"1.00",`, ``, 1)},
		"null for a key":              {200, strings.Replace(jsonAccount, `"balance":"1.00"`, `"balance":null`, 1)},
		"a key too many":              {200, strings.Replace(jsonAccount, `{`, `{"x":1,`, 1)},
		"a key in another case":       {200, strings.Replace(jsonAccount, `balance`, `Balance`, 1)},
		"money as a number":           {200, strings.Replace(jsonAccount, `"balance":"1.00"`, `"balance":1`, 1)},
		"a time without decimals":     {200, strings.Replace(jsonAccount, `.123456Z`, `Z`, 1)},
		"another success":             {201, jsonAccount},
		"half an answer":              {200, jsonAccount[:40]},
		"two answers":                 {200, jsonAccount + jsonAccount},
		"a redirection":               {302, ``},
		"an error without a problem":  {500, `{}`},
		"a problem with a key less":   {404, strings.Replace(problem, `"type":"about:blank",`, ``, 1)},
		"a problem under status 200":  {200, problem},
		"a problem of another status": {409, problem},
		"a problem with another code": {404, strings.ReplaceAll(problem, `unknown_user`, `lost_user`)},
	} {
		t.Run(sentence, func(t *testing.T) {
			mustBeNoAnswer(t, json.NewClient(answering(t, c.status, c.body), exchange.NewTransport(1)))
		})
	}
	right := json.NewClient(answering(t, 200, jsonAccount), exchange.NewTransport(1))
	account, err := right.GetAccount(t.Context(), "uid:1")
	must(t, err)
	if account.Balance != 1_00 {
		t.Errorf("the account is %+v", account)
	}
	_, err = json.NewClient(answering(t, 404, problem), exchange.NewTransport(1)).GetAccount(t.Context(), "x")
	mustBe(t, err, brokerage.UnknownUser, "There is no user x.")
}

func TestAnAnswerOverSOAPThatBreaksItsDescriptionIsNone(t *testing.T) {
	accountOf := func(elements string) string { return operation("getAccountResponse", elements) }
	refused := faulted("Client", "unknown_user", "There is no user x.")
	for sentence, c := range map[string]struct {
		status int
		body   string
	}{
		"an empty answer":           {200, accountOf(``)},
		"nothing":                   {200, ``},
		"an object":                 {200, `{}`},
		"a page":                    {200, `<html></html>`},
		"an empty body":             {200, envelope(``)},
		"another answer":            {200, operation("getProfileResponse", soapAccount)},
		"another namespace":         {200, envelope(`<getAccountResponse>` + soapAccount + `</getAccountResponse>`)},
		"a missing element":         {200, accountOf(strings.Replace(soapAccount, `<balance>1.00</balance>`, ``, 1))},
		"an empty element":          {200, accountOf(strings.Replace(soapAccount, `<balance>1.00</balance>`, `<balance/>`, 1))},
		"an element too many":       {200, accountOf(soapAccount + `<x/>`)},
		"an element twice":          {200, accountOf(soapAccount + `<balance>2.00</balance>`)},
		"money with one decimal":    {200, accountOf(strings.Replace(soapAccount, `1.00`, `1.0`, 1))},
		"a time without decimals":   {200, accountOf(strings.Replace(soapAccount, `.123456Z`, `Z`, 1))},
		"another success":           {202, accountOf(soapAccount)},
		"an answer under an error":  {500, accountOf(soapAccount)},
		"half an answer":            {200, accountOf(soapAccount)[:200]},
		"a fault under status 200":  {200, refused},
		"a fault of another status": {404, refused},
		"a fault without a code":    {500, strings.Replace(refused, `<code>unknown_user</code>`, ``, 1)},
		"a fault with another code": {500, strings.Replace(refused, `unknown_user`, `lost_user`, 1)},
		"a fault without a message": {500, strings.Replace(refused, `faultstring`, `reason`, 2)},
	} {
		t.Run(sentence, func(t *testing.T) {
			mustBeNoAnswer(t, soap.NewClient(answering(t, c.status, c.body), exchange.NewTransport(1)))
		})
	}
	right := soap.NewClient(answering(t, 200, accountOf(soapAccount)), exchange.NewTransport(1))
	account, err := right.GetAccount(t.Context(), "uid:1")
	must(t, err)
	if account.Balance != 1_00 {
		t.Errorf("the account is %+v", account)
	}
	_, err = soap.NewClient(answering(t, 500, refused), exchange.NewTransport(1)).GetAccount(t.Context(), "x")
	mustBe(t, err, brokerage.UnknownUser, "There is no user x.")
}

// wrongOffer answers every account in one way.
type wrongOffer struct {
	wire.UnimplementedBrokerageServer
	answer func(ctx context.Context) (*wire.Account, error)
}

func (o wrongOffer) GetAccount(ctx context.Context, _ *wire.User) (*wire.Account, error) {
	return o.answer(ctx)
}

func grpcAnswering(t *testing.T, answer func(context.Context) (*wire.Account, error)) brokerage.Services {
	server := stdgrpc.NewServer()
	wire.RegisterBrokerageServer(server, wrongOffer{answer: answer})
	client := grpc.NewClient("http://"+offered(t, server), 2)
	t.Cleanup(client.Close)
	return client
}

func rightAccount() *wire.Account {
	now := timestamppb.New(time.UnixMicro(1))
	return &wire.Account{AccountId: 2, UserId: "uid:1", CreationTime: now, OpenBalance: "1.00", Balance: "1.00", LastLogin: now}
}

func TestAnAnswerOverGRPCThatBreaksItsDescriptionIsNone(t *testing.T) {
	for sentence, spoil := range map[string]func(*wire.Account){
		"an empty account":   func(a *wire.Account) { proto.Reset(a) },
		"no id":              func(a *wire.Account) { a.AccountId = 0 },
		"no user id":         func(a *wire.Account) { a.UserId = "" },
		"no balance":         func(a *wire.Account) { a.Balance = "" },
		"one decimal":        func(a *wire.Account) { a.Balance = "1.0" },
		"no time":            func(a *wire.Account) { a.LastLogin = nil },
		"nanoseconds":        func(a *wire.Account) { a.LastLogin = &timestamppb.Timestamp{Nanos: 1} },
		"a time that is not": func(a *wire.Account) { a.LastLogin = &timestamppb.Timestamp{Nanos: -1000} },
	} {
		t.Run(sentence, func(t *testing.T) {
			mustBeNoAnswer(t, grpcAnswering(t, func(context.Context) (*wire.Account, error) {
				account := rightAccount()
				spoil(account)
				return account, nil
			}))
		})
	}
	for sentence, c := range map[string]struct {
		status codes.Code
		code   string
	}{
		"a status without a code":    {codes.NotFound, ""},
		"a status with another code": {codes.NotFound, "lost_user"},
		"a code of another status":   {codes.Aborted, "unknown_user"},
	} {
		t.Run(sentence, func(t *testing.T) {
			mustBeNoAnswer(t, grpcAnswering(t, func(ctx context.Context) (*wire.Account, error) {
				if c.code != "" {
					must(t, stdgrpc.SetTrailer(ctx, metadata.Pairs("middlemark-code", c.code)))
				}
				return nil, status.Error(c.status, "There is no user x.")
			}))
		})
	}
	account, err := grpcAnswering(t, func(context.Context) (*wire.Account, error) { return rightAccount(), nil }).GetAccount(t.Context(), "x")
	must(t, err)
	if account.Balance != 1_00 || account.LastLogin != 1 {
		t.Errorf("the account is %+v", account)
	}
	_, err = grpcAnswering(t, func(context.Context) (*wire.Account, error) { return new(wire.Account), nil }).GetHoldings(t.Context(), "x")
	mustBe(t, err, brokerage.Unavailable) // an operation that the server lacks
}

// clients are the ways to call services at an address.
func clients(t *testing.T, address string, connections int) map[string]brokerage.Services {
	calls := grpc.NewClient(address, connections)
	t.Cleanup(calls.Close)
	return map[string]brokerage.Services{
		"soap": soap.NewClient(address, exchange.NewTransport(connections)),
		"json": json.NewClient(address, exchange.NewTransport(connections)),
		"grpc": calls,
	}
}

func TestWhereNobodyListensNothingIsAnswered(t *testing.T) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	must(t, err)
	must(t, listener.Close())
	for name, client := range clients(t, "http://"+listener.Addr().String(), 1) {
		t.Run("over "+name, func(t *testing.T) { mustBeNoAnswer(t, client) })
	}
}

func TestWhoKeepsSilentIsNotWaitedForLongerThanTheCallerWants(t *testing.T) {
	listener, err := net.Listen("tcp", "127.0.0.1:0") // accepts in the kernel, and nobody reads
	must(t, err)
	t.Cleanup(func() { _ = listener.Close() })
	for name, client := range clients(t, "http://"+listener.Addr().String(), 1) {
		t.Run("over "+name, func(t *testing.T) {
			ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
			defer cancel()
			mustBe(t, client.Ping(ctx), brokerage.Unavailable)
		})
	}
}
