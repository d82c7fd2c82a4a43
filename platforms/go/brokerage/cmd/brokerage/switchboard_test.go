package main

import (
	"testing"
	"testing/synctest"
	"time"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"middlemark/brokerage/grpc"
	"middlemark/brokerage/settings"
)

// A call of a closed client ends as cancelled; one of an open client does not find the services, for there are none.
func mustEnd(t *testing.T, client *grpc.Client, want codes.Code) {
	t.Helper()
	if err := client.Ping(t.Context()); status.Code(err) != want {
		t.Errorf("the call ends with %v, want %s", err, want)
	}
}

func TestAFormerClientIsClosedWhenNoPageCanUseIt(t *testing.T) {
	first, second := localURL(freePort(t)), localURL(freePort(t))
	synctest.Test(t, func(t *testing.T) {
		with := settings.Settings{Binding: settings.GRPC, ServicesURL: first, ServicesConnections: 1}
		board := newSwitchboard(with, nil, nil)
		former := board.callsTo(with)
		with.ServicesURL = second
		latest := board.callsTo(with)
		if latest == former || board.callsTo(with) != latest {
			t.Error("a client goes with its address")
		}
		time.Sleep(exchangeLimit - time.Second)
		mustEnd(t, former, codes.Unavailable)
		time.Sleep(2 * time.Second)
		synctest.Wait()
		mustEnd(t, former, codes.Canceled)
		mustEnd(t, latest, codes.Unavailable)
		if len(board.former) != 0 {
			t.Errorf("%d former clients are kept", len(board.former))
		}
		with.ServicesURL = first
		again := board.callsTo(with)
		board.close()
		mustEnd(t, latest, codes.Canceled)
		mustEnd(t, again, codes.Canceled)
	})
}
