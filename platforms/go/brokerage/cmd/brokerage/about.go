package main

import (
	"encoding/json"
	"net/http"
	"os"
	"runtime"
	"runtime/debug"
	"strconv"
	"strings"

	"middlemark/brokerage/postgres"
	"middlemark/brokerage/settings"
)

// commit is set by the linker: -ldflags "-X main.commit=0a1b2c3". Without, it is what the go command has noted.
var commit string

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

func (a *application) about(w http.ResponseWriter, _ *http.Request) {
	in := a.switchboard.settings()
	body, err := json.Marshal(aboutMessage{
		Platform: "go", Server: "net/http", Specification: "brokerage", SpecificationVersion: "1", Commit: revision(),
		Roles: in.Roles, Settings: in.Texts(), Versions: versions(), NotDefault: disclosed(in),
	})
	if err != nil { // texts always can be written
		panic(err)
	}
	w.Header().Set("Content-Type", "application/json")
	_, _ = w.Write(body) // a client that has gone needs no answer
}

func revision() string {
	if commit != "" {
		return commit
	}
	if build, ok := debug.ReadBuildInfo(); ok {
		for _, setting := range build.Settings {
			if setting.Key == "vcs.revision" && len(setting.Value) >= 7 {
				return setting.Value[:7]
			}
		}
	}
	return "unknown"
}

// components are the libraries whose speed is the platform's.
var components = map[string]string{
	"github.com/jackc/pgx/v5":    "pgx",
	"google.golang.org/grpc":     "grpc",
	"google.golang.org/protobuf": "protobuf",
}

// versions names the components and what they are now.
func versions() map[string]string {
	named := map[string]string{"go": strings.TrimPrefix(runtime.Version(), "go")}
	if build, ok := debug.ReadBuildInfo(); ok {
		for _, dependency := range build.Deps {
			if name, counts := components[dependency.Path]; counts {
				named[name] = strings.TrimPrefix(dependency.Version, "v")
			}
		}
	}
	return named
}

// disclosed lists what differs from the defaults of the runtime, pgx, net/http and gRPC.
func disclosed(in settings.Settings) []notDefault {
	list := []notDefault{
		{"http.Server.ReadHeaderTimeout", headerLimit.String(), "a client that sends nothing must not hold a connection for ever"},
		{"http.Server.ReadTimeout, WriteTimeout", exchangeLimit.String(), "nor must one that sends half a form or reads half a page"},
		{"http.Server.IdleTimeout", idleLimit.String(), "longer than the clients over JSON and SOAP keep unused connections"},
	}
	if in.NeedsDatabase() {
		list = append(list,
			notDefault{"pgxpool MaxConns", strconv.Itoa(in.DatabasePool), "MM_DATABASE_POOL"},
			notDefault{"pgx ConnectTimeout", postgres.ConnectLimit.String(), "a database that is away is soon known to be"},
		)
	}
	if in.Has(settings.Processor) {
		list = append(list, notDefault{"pgx connections beside the pool", "1", "it waits for notifications of orders"})
	}
	if in.Has(settings.Web) {
		list = append(list, clientDisclosed(in)...)
	}
	for _, variable := range []string{"GOMAXPROCS", "GOGC", "GOMEMLIMIT", "GODEBUG"} {
		if value := os.Getenv(variable); value != "" {
			list = append(list, notDefault{variable, value, "set by the operator"})
		}
	}
	return list
}
