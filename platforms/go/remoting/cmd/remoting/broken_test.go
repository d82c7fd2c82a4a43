package main

import (
	"bytes"
	"context"
	"encoding/binary"
	"encoding/json"
	"io"
	"net"
	"net/http"
	"os"
	"strings"
	"testing"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/proto"

	"middlemark/pgtest"
	"middlemark/remoting/settings"
	"middlemark/remoting/wire"
)

func TestAnOrderOutsideOfItsLimitsIsRefusedAndStoresNothing(t *testing.T) {
	database := pgtest.New(t)
	process := start(t, environment{"MM_DATABASE_URL": database.URL})
	for wrong, change := range map[string]func(order map[string]any){
		"without lines":     func(o map[string]any) { o["lines"] = []any{} },
		"with 101 lines":    func(o map[string]any) { o["lines"] = repeated(o["lines"].([]any)[0], 101) },
		"quantity 0":        func(o map[string]any) { line(o)["quantity"] = 0 },
		"quantity 32768":    func(o map[string]any) { line(o)["quantity"] = 32_768 },
		"negative price":    func(o map[string]any) { line(o)["unitPrice"] = -0.01 },
		"price too high":    func(o map[string]any) { line(o)["unitPrice"] = 1_000_000.01 },
		"negative discount": func(o map[string]any) { line(o)["discount"] = -0.1 },
		"discount above 1":  func(o map[string]any) { line(o)["discount"] = 1.01 },
		"negative freight":  func(o map[string]any) { o["freight"] = "-0.01" },
		"freight too high":  func(o map[string]any) { o["freight"] = "1000000.01" },
		"freight too exact": func(o map[string]any) { o["freight"] = "1.005" },
		"year 1752":         func(o map[string]any) { o["orderDate"] = "1752-12-31T23:59:59" },
		"year 9999":         func(o map[string]any) { o["orderDate"] = "9999-01-01T00:00:00" },
		"unknown product":   func(o map[string]any) { line(o)["productId"] = 78 },
		"unknown customer":  func(o map[string]any) { o["customerId"] = "nobody" },
		"a text too long":   func(o map[string]any) { o["shipping"].(map[string]any)["city"] = strings.Repeat("x", 101) },
		"a text of 40,000":  func(o map[string]any) { o["billing"].(map[string]any)["city"] = strings.Repeat("x", 40_000) },
	} {
		order := example(t)
		change(order)
		text, err := json.Marshal(order)
		if err != nil {
			t.Fatal(err)
		}
		for _, protocol := range allProtocols {
			t.Run(wrong+" over "+protocol, func(t *testing.T) {
				process.call(protocol, "storeOrder", string(text)).mustBe(t, http.StatusBadRequest, "invalid_input")
			})
		}
	}
	if stored := database.Text(`SELECT count(*) FROM orders`); stored != "0" {
		t.Errorf("%s orders are stored", stored)
	}
}

func TestACustomerIDHasAtMost100Characters(t *testing.T) {
	process := start(t, environment{"MM_DATABASE_URL": pgtest.New(t).URL})
	for _, protocol := range allProtocols {
		for _, operation := range []string{"loadCustomer", "loadCustomerTables"} {
			t.Run(operation+" over "+protocol, func(t *testing.T) {
				process.call(protocol, operation, `{"customerId": "`+strings.Repeat("ü", 100)+`"}`).mustBe(t, http.StatusOK, "")
				process.call(protocol, operation, `{"customerId": "`+strings.Repeat("ü", 101)+`"}`).
					mustBe(t, http.StatusBadRequest, "invalid_input")
			})
		}
	}
}

func example(t *testing.T) (order map[string]any) {
	t.Helper()
	text, err := os.ReadFile(pgtest.SpecFile("remoting", "order.json"))
	if err == nil {
		err = json.Unmarshal(text, &order)
	}
	if err != nil {
		t.Fatal(err)
	}
	return order
}

func line(order map[string]any) map[string]any { return order["lines"].([]any)[0].(map[string]any) }

func repeated(one any, times int) (all []any) {
	for range times {
		all = append(all, one)
	}
	return all
}

func TestAPriceIsStoredRoundedHalfAwayFromZeroAndADiscountAsTheNearestReal(t *testing.T) {
	database := pgtest.New(t)
	process := start(t, environment{"MM_DATABASE_URL": database.URL})
	order := example(t)
	first := line(order)
	order["lines"] = []any{first}
	first["unitPrice"], first["discount"] = 1.00005, 0.05
	text, err := json.Marshal(order)
	if err != nil {
		t.Fatal(err)
	}
	for _, protocol := range allProtocols {
		process.call(protocol, "storeOrder", string(text)).mustBe(t, http.StatusOK, "")
		got := database.Text(`SELECT string_agg(DISTINCT unit_price || ' ' || discount || ' ' || (discount = 0.05::real), ',') FROM order_lines`)
		if got != "1.0001 0.05 true" {
			t.Errorf("over %s the price and the discount are %s", protocol, got)
		}
	}
}

// frameAddresses are the protocols that have frames, by the setting with their address.
var frameAddresses = map[string]string{"tcp-protobuf": "MM_SERVICE_TCP", "tcp-soap": "MM_SERVICE_TCP_SOAP", "unix": "MM_SERVICE_SOCKET"}

func dial(t *testing.T, protocol string, in environment) net.Conn {
	t.Helper()
	network := "tcp"
	if protocol == "unix" {
		network = protocol
	}
	return connect(t, network, in[frameAddresses[protocol]])
}

func connect(t *testing.T, network, address string) net.Conn {
	t.Helper()
	connection, err := net.Dial(network, address)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = connection.Close() }) // the service may have closed it
	if err := connection.SetDeadline(time.Now().Add(30 * time.Second)); err != nil {
		t.Fatal(err)
	}
	return connection
}

// frame is bytes after their length.
func frame(content []byte) []byte {
	return append(binary.BigEndian.AppendUint32(nil, uint32(len(content))), content...)
}

// readFrame reads the frame of an answer.
func readFrame(t *testing.T, from io.Reader) []byte {
	t.Helper()
	var length uint32
	err := binary.Read(from, binary.BigEndian, &length)
	content := make([]byte, length)
	if err == nil {
		_, err = io.ReadFull(from, content)
	}
	if err != nil {
		t.Fatalf("the answer cannot be read: %v", err)
	}
	return content
}

// mustRefuse fails unless an answer refuses input and the connection is closed after it.
func mustRefuse(t *testing.T, protocol string, connection net.Conn) {
	t.Helper()
	if got := readFrame(t, connection); !bytes.Contains(got, []byte("invalid_input")) {
		t.Errorf("over %s the answer is %q", protocol, got)
	}
	mustBeClosed(t, connection)
}

func mustBeClosed(t *testing.T, connection net.Conn) {
	t.Helper()
	if n, err := connection.Read(make([]byte, 1)); n != 0 || err == nil || os.IsTimeout(err) {
		t.Errorf("the connection is not closed: %d bytes, %v", n, err)
	}
}

func TestAFrameThatIsNoneIsRefusedAndTheConnectionClosed(t *testing.T) {
	process := start(t, environment{"MM_DATABASE_URL": pgtest.New(t).URL})
	for protocol := range frameAddresses {
		frames := map[string][]byte{
			"a length of 2^32-1": {0xff, 0xff, 0xff, 0xff},
			"10 MB":              frame(make([]byte, 10_000_000)),
			"a byte above 4 MiB": frame(make([]byte, 4<<20+1)),
		}
		if protocol != "tcp-soap" { // what is no envelope may leave the connection open
			frames["what is no message"] = frame([]byte("GET / HTTP/1.1\r\n\r\n"))
			frames["a message cut in two"] = frame([]byte{0x0a, 0x7f, 'p'})
		}
		for wrong, sent := range frames {
			t.Run(wrong+" over "+protocol, func(t *testing.T) {
				connection := dial(t, protocol, process.in)
				if _, err := connection.Write(sent); err != nil {
					t.Logf("the service has closed while it was sent: %v", err)
				}
				mustRefuse(t, protocol, connection)
			})
		}
	}
}

func TestAfterAnEnvelopeThatCannotBeReadTheConnectionStays(t *testing.T) {
	process := start(t, environment{"MM_DATABASE_URL": pgtest.New(t).URL})
	connection := dial(t, "tcp-soap", process.in)
	for _, sent := range []struct{ body, answer string }{
		{`<storeOrder xmlns="urn:middlemark:remoting:1"><employeeId>x</employeeId></storeOrder>`, "invalid_input"},
		{`<pong xmlns="urn:middlemark:remoting:1"/>`, "invalid_input"},
		{`<loadCustomer xmlns="urn:middlemark:remoting:1"><customerId>` + strings.Repeat("x", 101) + `</customerId></loadCustomer>`, "invalid_input"},
		{`<ping xmlns="urn:middlemark:remoting:1"/>`, "pingResponse"},
	} {
		envelope := `<s:Envelope xmlns:s="http://schemas.xmlsoap.org/soap/envelope/"><s:Body>` + sent.body + `</s:Body></s:Envelope>`
		mustWrite(t, connection, frame([]byte(envelope)))
		if got := readFrame(t, connection); !bytes.Contains(got, []byte(sent.answer)) {
			t.Errorf("%s is answered by %q", sent.body, got)
		}
	}
}

func TestAMessageOverHTTPAbove4MiBIsRefused(t *testing.T) {
	process := start(t, environment{"MM_DATABASE_URL": pgtest.New(t).URL})
	blanks := strings.Repeat(" ", 4<<20)
	long := `{"customerId": "C0017"}` + blanks
	for _, path := range []string{"/services/json/loadCustomer", "/call/json/loadCustomer"} {
		process.send(http.MethodPost, path, http.Header{"Content-Type": {"application/json"}}, []byte(long)).
			mustBe(t, http.StatusBadRequest, "invalid_input")
	}
	// Without the limit both would be answered: two blanks are a field that the message does not have, and XML may have blanks.
	process.send(http.MethodPost, "/services/protobuf/ping", nil, []byte(blanks+"  ")).mustBe(t, http.StatusBadRequest, "invalid_input")
	envelope := `<s:Envelope xmlns:s="http://schemas.xmlsoap.org/soap/envelope/"><s:Body>` + blanks +
		`<ping xmlns="urn:middlemark:remoting:1"/></s:Body></s:Envelope>`
	fault := process.send(http.MethodPost, "/services/soap", nil, []byte(envelope))
	if fault.status != http.StatusInternalServerError || !bytes.Contains(fault.body, []byte("invalid_input")) {
		t.Errorf("over SOAP it is answered by %d %q", fault.status, fault.body)
	}
}

func TestAFrameOrARequestThatComesTooSlowlyClosesItsConnectionAndAnIdleOneStays(t *testing.T) {
	t.Parallel() // it waits for ten seconds
	process := start(t, environment{"MM_DATABASE_URL": pgtest.New(t).URL})
	idle, begin := dial(t, "tcp-protobuf", process.in), time.Now()
	half := make(map[string]net.Conn)
	for protocol := range frameAddresses {
		half[protocol] = dial(t, protocol, process.in)
		mustWrite(t, half[protocol], []byte{0, 0, 1, 0, 1, 2, 3})
	}
	call := callWithoutRequest(t, process.in["MM_SERVICE_GRPC"])
	requests := make(map[string]net.Conn)
	for _, request := range []string{
		"POST /services/json/ping", "POST /services/protobuf/ping", "POST /services/soap",
		"POST /call/json/ping", "GET /loop/json/ping?calls=1", "GET /health",
	} {
		requests[request] = connect(t, "tcp", strings.TrimPrefix(process.url, "http://"))
		mustWrite(t, requests[request], []byte(request+" HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\n\r\n{"))
	}
	for protocol, connection := range half {
		mustBeClosed(t, connection)
		if took := time.Since(begin); took < 9*time.Second {
			t.Errorf("over %s it was closed after %v", protocol, took)
		}
	}
	for request, connection := range requests {
		if _, err := io.ReadAll(connection); err != nil || time.Since(begin) < 9*time.Second {
			t.Errorf("half of %s ended after %v with %v", request, time.Since(begin), err)
		}
	}
	if err := call.RecvMsg(new(wire.Nothing)); status.Code(err) != codes.DeadlineExceeded || time.Since(begin) > 20*time.Second {
		t.Errorf("a call over gRPC without a request ended after %v with %v", time.Since(begin), err)
	}
	if got := exchanged(t, idle, &wire.Call{Operation: "ping"}); got.GetCode() != "" {
		t.Errorf("the idle connection answers %v", got)
	}
}

// callWithoutRequest is a call over gRPC of which the service gets the header alone. The client would end it after 30 seconds.
func callWithoutRequest(t *testing.T, address string) grpc.ClientStream {
	t.Helper()
	connection, err := grpc.NewClient(address, grpc.WithTransportCredentials(insecure.NewCredentials()))
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
	t.Cleanup(func() {
		cancel()
		_ = connection.Close() // nothing is under way
	})
	call, err := connection.NewStream(ctx, &grpc.StreamDesc{ClientStreams: true}, wire.Remoting_Ping_FullMethodName)
	if err != nil {
		t.Fatal(err)
	}
	return call
}

func mustWrite(t *testing.T, to net.Conn, content []byte) {
	t.Helper()
	if _, err := to.Write(content); err != nil {
		t.Fatal(err)
	}
}

// exchanged is the answer to a call in a frame.
func exchanged(t *testing.T, over net.Conn, call *wire.Call) *wire.Answer {
	t.Helper()
	content, err := proto.Marshal(call)
	if err != nil {
		t.Fatal(err)
	}
	mustWrite(t, over, frame(content))
	answer := new(wire.Answer)
	if err := proto.Unmarshal(readFrame(t, over), answer); err != nil {
		t.Fatal(err)
	}
	return answer
}

func TestACallThatIsRefusedLeavesItsConnectionUsable(t *testing.T) {
	process := start(t, environment{"MM_DATABASE_URL": pgtest.New(t).URL})
	connection := dial(t, "tcp-protobuf", process.in)
	for _, c := range []struct {
		operation, request, code string
	}{
		{"ping", "", ""},
		{"nothing", "", "invalid_input"},
		{"storeOrder", "", "invalid_input"},
		{"storeOrder", "no message", "invalid_input"},
		{"ping", "", ""},
	} {
		got := exchanged(t, connection, &wire.Call{Operation: c.operation, Request: []byte(c.request)})
		if got.GetCode() != c.code {
			t.Errorf("%s is answered by %v, want the code %q", c.operation, got, c.code)
		}
	}
}

func TestAServiceThatStopsFinishesItsCallsAndThenIsUnavailable(t *testing.T) {
	database := pgtest.New(t)
	in := places(t).with(environment{"MM_DATABASE_URL": database.URL})
	service := launch(t, in.with(environment{"MM_ROLE": settings.Service})).ready()
	caller := launch(t, in.with(onlyClient(t))).ready()
	release := database.Block(`LOCK TABLE orders`)
	protocols := allProtocols[1:] // local has its own service
	answers := make(chan answer, len(protocols))
	for _, protocol := range protocols {
		go func() { answers <- caller.call(protocol, "storeOrder", "") }()
	}
	database.AwaitBlocked(len(protocols))
	stopped := make(chan error, 1)
	go func() { stopped <- service.stop() }()
	caller.until("the service accepts no more", func() bool {
		connection, err := net.Dial("tcp", in["MM_SERVICE_TCP"])
		if err == nil {
			_ = connection.Close()
		}
		return err != nil
	})
	release()
	for range protocols {
		got := <-answers
		got.mustBe(t, http.StatusOK, "")
	}
	if err := <-stopped; err != nil {
		t.Errorf("the service ended with %v", err)
	}
	if stored := database.Text(`SELECT count(*) FROM orders`); stored != "8" {
		t.Errorf("%s orders are stored", stored)
	}
	for _, protocol := range protocols {
		caller.call(protocol, "storeOrder", "").mustBe(t, http.StatusServiceUnavailable, "unavailable")
	}
	launch(t, in.with(environment{"MM_ROLE": settings.Service})).ready()
	for _, protocol := range protocols { // connections are made anew, and nothing was sent twice
		caller.until(protocol+" is answered", func() bool { return caller.call(protocol, "ping", "").status == http.StatusOK })
	}
	if stored := database.Text(`SELECT count(*) FROM orders`); stored != "8" {
		t.Errorf("%s orders are stored", stored)
	}
}
