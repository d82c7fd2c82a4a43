package sockets

import (
	"net"
	"testing"
	"time"
)

// pair is both ends of a connection.
func pair(t *testing.T) (client, service net.Conn) {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = listener.Close() }() // one connection is enough
	if client, err = net.Dial("tcp", listener.Addr().String()); err != nil {
		t.Fatal(err)
	}
	if service, err = listener.Accept(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _, _ = client.Close(), service.Close() }) // a test may have closed one
	return client, service
}

func TestAQuietConnectionCanCarryACallAlsoAfterTheDeadlineOfTheOneBefore(t *testing.T) {
	client, _ := pair(t)
	if !Unused(client) {
		t.Error("it cannot")
	}
	if err := client.SetDeadline(time.Now().Add(-time.Second)); err != nil {
		t.Fatal(err)
	}
	if !Unused(client) {
		t.Error("it cannot after a deadline")
	}
}

func TestAConnectionThatTheServiceHasClosedOrWrittenToCannotCarryACall(t *testing.T) {
	for wrong, do := range map[string]func(net.Conn) error{
		"closed":  net.Conn.Close,
		"written": func(service net.Conn) error { _, err := service.Write([]byte{1}); return err },
	} {
		client, service := pair(t)
		if err := do(service); err != nil {
			t.Fatal(err)
		}
		for deadline := time.Now().Add(20 * time.Second); Unused(client); time.Sleep(time.Millisecond) {
			if time.Now().After(deadline) {
				t.Fatalf("%s: it still can", wrong)
			}
		}
	}
}
