package main

import (
	"encoding/json"
	"net/http"
)

// poolMessage is what /pools tells of the connections to a database (specs/README.md).
type poolMessage struct {
	Size          int     `json:"size"`
	InUse         int     `json:"in_use"`
	WaitedSeconds float64 `json:"waited_seconds"`
}

// pools answers in a process with a database.
func (a *application) pools(w http.ResponseWriter, _ *http.Request) {
	pool := a.store.Pool()
	body, err := json.Marshal(map[string]poolMessage{
		"brokerage": {Size: pool.Size, InUse: pool.InUse, WaitedSeconds: pool.Waited.Seconds()},
	})
	if err != nil { // numbers always can be written
		panic(err)
	}
	w.Header().Set("Content-Type", "application/json")
	_, _ = w.Write(body) // a client that has gone needs no answer
}
