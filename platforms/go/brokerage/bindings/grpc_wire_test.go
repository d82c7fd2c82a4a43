package bindings_test

import (
	"net"
	"strings"
	"testing"

	stdgrpc "google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/known/wrapperspb"

	"middlemark/brokerage/grpc"
	"middlemark/brokerage/grpc/wire"
	"middlemark/brokerage/pgtest"
)

// offered is where services are offered over gRPC until the test ends.
func offered(t *testing.T, server *stdgrpc.Server) string {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	must(t, err)
	go func() { _ = server.Serve(listener) }() // the calls tell what goes wrong
	t.Cleanup(server.Stop)
	return listener.Addr().String()
}

// dialled is a connection as a stranger makes it.
func dialled(t *testing.T, address string) *stdgrpc.ClientConn {
	t.Helper()
	connection, err := stdgrpc.NewClient(address, stdgrpc.WithTransportCredentials(insecure.NewCredentials()))
	must(t, err)
	t.Cleanup(func() { _ = connection.Close() })
	return connection
}

// called is what a call of a method gave: status, code in the trailing metadata, message.
func called(t *testing.T, connection *stdgrpc.ClientConn, method string, request proto.Message) (codes.Code, string, string) {
	t.Helper()
	var trailer metadata.MD
	err := connection.Invoke(t.Context(), "/middlemark.brokerage.v1.Brokerage/"+method, request, new(wire.Account), stdgrpc.Trailer(&trailer))
	return status.Code(err), strings.Join(trailer.Get("middlemark-code"), ","), status.Convert(err).Message()
}

func TestARefusalOverGRPCHasStatusCodeAndMessage(t *testing.T) {
	database := pgtest.New(t)
	connection := dialled(t, offered(t, grpc.NewServer(local(t, database), silent)))
	database.Exec(`UPDATE holdings SET being_sold = true WHERE holding_id = 7`)
	registration := &wire.Registration{UserId: "uid:1", Password: "xxx", FullName: "New", OpenBalance: "1.00"}
	for _, c := range []struct {
		method  string
		request proto.Message
		status  codes.Code
		code    string
		message string
	}{
		{"GetAccount", &wire.User{}, codes.InvalidArgument, "invalid_input", "The user id is missing."},
		{"Sell", &wire.UserHolding{UserId: "uid:1"}, codes.InvalidArgument, "invalid_input", "The holding id must be a whole number from 1."},
		{"GetQuotes", &wire.SymbolsRequest{}, codes.InvalidArgument, "invalid_input", "Ask for 1 to 20 symbols."},
		{"GetOrders", &wire.OrdersRequest{UserId: "uid:1", Limit: 1<<32 + 1}, codes.InvalidArgument, "invalid_input", "The limit must be a whole number from 1 to 100."},
		{"Register", &wire.Registration{OpenBalance: "1.0"}, codes.InvalidArgument, "invalid_input", `An amount must be text such as "1234.50".`},
		{"Login", &wire.Credentials{UserId: "uid:1", Password: "é"}, codes.PermissionDenied, "authentication_failed", "Unknown user or wrong password."},
		{"GetAccount", &wire.User{UserId: "Ünï"}, codes.NotFound, "unknown_user", "There is no user Ünï."},
		{"GetQuote", &wire.SymbolRequest{Symbol: "s:999"}, codes.NotFound, "unknown_symbol", "There is no symbol s:999."},
		{"Sell", &wire.UserHolding{UserId: "uid:1", HoldingId: 1}, codes.NotFound, "unknown_holding", "User uid:1 has no holding 1."},
		{"Sell", &wire.UserHolding{UserId: "uid:1", HoldingId: 7}, codes.FailedPrecondition, "already_being_sold", "Holding 7 is already being sold."},
		{"Register", registration, codes.AlreadyExists, "user_exists", "The user id uid:1 is taken."},
		{"Fly", &wire.Nothing{}, codes.Unimplemented, "unknown_operation", "There is no operation Fly."},
		{"GetAccount", wrapperspb.Bytes([]byte{0xff}), codes.Internal, "", ""},
		{"GetAccount", &wire.User{UserId: strings.Repeat("x", 64<<10)}, codes.ResourceExhausted, "", ""},
	} {
		status, code, message := called(t, connection, c.method, c.request)
		if status != c.status || code != c.code || (c.message != "" && message != c.message) {
			t.Errorf("%s with %v: %s %q %q\nwant %s %q %q", c.method, c.request, status, code, message, c.status, c.code, c.message)
		}
	}
	database.Stop()
	status, code, message := called(t, connection, "GetAccount", &wire.User{UserId: "uid:1"})
	if status != codes.Unavailable || code != "unavailable" || !strings.HasPrefix(message, "The service is not available") {
		t.Errorf("without a database: %s %q %q", status, code, message)
	}
}
