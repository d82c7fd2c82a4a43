package main

import (
	"encoding/binary"
	"net/http"
	"strings"
	"testing"

	"middlemark/pgtest"
	"middlemark/remoting/access"
	"middlemark/remoting/client"
	"middlemark/remoting/messages"
)

// allProtocols are those of this platform.
var allProtocols = []string{
	"local", "unix", "tcp-protobuf", "tcp-soap", "grpc", "http-protobuf", "json", "soap", "net-rpc",
}

// authenticated is the settings of a kind of authentication, for client and service.
func authenticated(t *testing.T, kind string) environment {
	t.Helper()
	switch kind {
	case access.Token:
		signs := newSigner(t)
		return environment{"MM_AUTHENTICATION": kind, "MM_TOKEN": signs.token(nil), "MM_TOKEN_KEY": signs.keyFile()}
	case access.Certificate:
		return newAuthority(t).signed("caller", "caller")
	}
	return environment{"MM_AUTHENTICATION": kind}
}

func TestEveryOperationIsAnsweredOverEveryProtocolWithEveryAuthentication(t *testing.T) {
	for _, kind := range access.All {
		for _, connections := range []string{"shared", "unshared"} {
			database := pgtest.New(t)
			in := authenticated(t, kind).with(environment{"MM_DATABASE_URL": database.URL, "MM_CONNECTIONS": connections})
			process := start(t, in)
			hashes := make(map[string]string) // by operation
			for _, protocol := range allProtocols {
				for operation := range messages.Operations {
					t.Run(strings.Join([]string{protocol, operation, kind, connections}, " "), func(t *testing.T) {
						got := process.call(protocol, operation, "")
						if !client.Offered(protocol, kind) {
							got.mustBe(t, http.StatusNotFound, "")
							return
						}
						got.mustBe(t, http.StatusOK, "")
						hash := got.header.Get("Answer-Hash")
						if first := hashes[operation]; first != "" && first != hash {
							t.Errorf("the answer differs from that over another protocol: %s", got.body)
						}
						hashes[operation] = hash
					})
				}
			}
		}
	}
}

func TestALoopStoresWhatItReports(t *testing.T) {
	database := pgtest.New(t)
	process := start(t, environment{"MM_DATABASE_URL": database.URL})
	for _, protocol := range allProtocols {
		for operation, employee := range map[string]string{"storeOrder": "5", "storeOrderTables": "6"} {
			t.Run(operation+" over "+protocol, func(t *testing.T) {
				database.Exec(`TRUNCATE orders, order_lines`)
				got := process.send(http.MethodGet, "/loop/"+protocol+"/"+operation+"?calls=23", nil, nil)
				if outcomes := outcomesOf(t, got.body); outcomes != strings.Repeat("0", 23) {
					t.Errorf("the outcomes are %q", outcomes)
				}
				stored := database.Text(`SELECT count(*) FROM orders WHERE employee_id = ` + employee)
				if lines := database.Text(`SELECT count(*) FROM order_lines`); stored != "23" || lines != "460" {
					t.Errorf("there are %s orders and %s lines", stored, lines)
				}
			})
		}
	}
}

// recordBytes is the length of a record (specs/remoting/loops.md).
const recordBytes = 24

// outcomesOf is the outcome of each record. Calls begin one after the other.
func outcomesOf(t *testing.T, records []byte) string {
	t.Helper()
	if len(records)%recordBytes != 0 {
		t.Fatalf("%d bytes are no records", len(records))
	}
	var outcomes strings.Builder
	var ended uint64
	for ; len(records) > 0; records = records[recordBytes:] {
		began := binary.BigEndian.Uint64(records)
		took := binary.BigEndian.Uint64(records[8:]) >> 8
		if began < ended || took == 0 {
			t.Fatalf("a call begins at %d and takes %d, the one before it ends at %d", began, took, ended)
		}
		ended = began + took
		outcomes.WriteByte('0' + records[15])
	}
	return outcomes.String()
}

func TestTheEmptyCallIsMadeAsFastAsItIsAnswered(t *testing.T) {
	process := start(t, environment{"MM_DATABASE_URL": pgtest.New(t).URL})
	for _, protocol := range allProtocols {
		got := process.send(http.MethodGet, "/loop/"+protocol+"/ping?seconds=1", nil, nil)
		outcomes := outcomesOf(t, got.body)
		if strings.Trim(outcomes, "0") != "" || outcomes == "" {
			t.Errorf("%s: the outcomes are %.100q", protocol, outcomes)
		}
		t.Logf("%s: %d calls in a second", protocol, len(outcomes))
	}
}
