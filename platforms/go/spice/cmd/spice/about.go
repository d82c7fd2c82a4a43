package main

import (
	"encoding/json"
	"net/http"
	"os"
	"runtime"
	"runtime/debug"
	"strings"
)

// aboutMessage is the answer of /about (specs/README.md).
type aboutMessage struct {
	Platform             string            `json:"platform"`
	Server               string            `json:"server"`
	Specification        string            `json:"specification"`
	SpecificationVersion string            `json:"specification_version"`
	Commit               string            `json:"commit"`
	Roles                []string          `json:"roles"`
	Settings             map[string]string `json:"settings"`
	Versions             map[string]string `json:"versions"`
	NotDefault           []notDefault      `json:"not_default"`
}

type notDefault struct {
	What  string `json:"what"`
	Value string `json:"value"`
	Why   string `json:"why"`
}

func about(read settings) http.HandlerFunc {
	message := aboutMessage{
		Platform: "go", Server: "net/http", Specification: "spice", SpecificationVersion: "1", Commit: revision(),
		Roles: []string{"web-server"}, Settings: read.texts(), NotDefault: disclosed(read),
		Versions: map[string]string{"go": strings.TrimPrefix(runtime.Version(), "go")},
	}
	return func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		_ = json.NewEncoder(w).Encode(message) // texts always can be written; a client that has gone needs no answer
	}
}

func revision() string {
	if build, ok := debug.ReadBuildInfo(); ok {
		for _, setting := range build.Settings {
			if setting.Key == "vcs.revision" && len(setting.Value) >= 7 {
				return setting.Value[:7]
			}
		}
	}
	return "unknown"
}

// disclosed lists what differs from the defaults of the runtime and net/http.
func disclosed(read settings) []notDefault {
	list := []notDefault{
		{"http.Server.ReadHeaderTimeout", headerLimit.String(), "a client that sends nothing must not hold a connection for ever"},
		{"http.Server.ReadTimeout, WriteTimeout", exchangeLimit.String(), "nor must one that reads half a file"},
		{"http.Server.IdleTimeout", idleLimit.String(), "as in the other applications of this platform"},
	}
	if read.tlsPort != 0 {
		list = append(list, notDefault{"HTTP/2 over TLS", "off", "both listeners speak the same HTTP; what is measured is HTTP/1"})
	}
	for _, variable := range []string{"GOMAXPROCS", "GOGC", "GOMEMLIMIT", "GODEBUG"} {
		if value := os.Getenv(variable); value != "" {
			list = append(list, notDefault{variable, value, "set by the operator"})
		}
	}
	return list
}
