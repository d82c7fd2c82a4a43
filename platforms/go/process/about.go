package process

import (
	"encoding/json"
	"net/http"
	"os"
	"runtime"
	"runtime/debug"
	"strings"
)

// About is the response of /about (specs/README.md).
type About struct {
	Platform             string            `json:"platform"`
	Server               string            `json:"server"`
	Specification        string            `json:"specification"`
	SpecificationVersion string            `json:"specification_version"`
	Commit               string            `json:"commit"`
	Roles                []string          `json:"roles"`
	Settings             map[string]string `json:"settings"`
	Versions             map[string]string `json:"versions"`
	NotDefault           []NotDefault      `json:"not_default"`
}

// NotDefault is a setting of the runtime or a library that differs from its default.
type NotDefault struct {
	What  string `json:"what"`
	Value string `json:"value"`
	Why   string `json:"why"`
}

// commit is set by the linker: -ldflags "-X middlemark/process.commit=0a1b2c3". Without, it is what the go command has noted.
var commit string

// components are the libraries whose versions /about shows.
var components = map[string]string{
	"github.com/golang-jwt/jwt/v5": "jwt",
	"github.com/jackc/pgx/v5":      "pgx",
	"google.golang.org/grpc":       "grpc",
	"google.golang.org/protobuf":   "protobuf",
}

// NewAbout says what every process says; notDefault is what differs besides the server's own.
func NewAbout(specification string, roles []string, settings map[string]string, notDefault []NotDefault) About {
	return About{
		Platform: "go", Server: "net/http", Specification: specification, SpecificationVersion: "1", Commit: revision(),
		Roles: roles, Settings: settings, Versions: versions(), NotDefault: append(disclosed(), notDefault...),
	}
}

// ServeHTTP answers /about.
func (a About) ServeHTTP(w http.ResponseWriter, _ *http.Request) { WriteJSON(w, a) }

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

// disclosed lists what differs from the defaults of the runtime and net/http.
func disclosed() []NotDefault {
	list := []NotDefault{
		{"http.Server.ReadHeaderTimeout", headerLimit.String(), "a client that sends nothing must not hold a connection for ever"},
		{"http.Server.ReadTimeout, WriteTimeout", exchangeLimit.String(), "nor must one that sends half a form or reads half a page"},
		{"http.Server.IdleTimeout", idleLimit.String(), "longer than the clients of this platform keep unused connections"},
	}
	for _, variable := range []string{"GOMAXPROCS", "GOGC", "GOMEMLIMIT", "GODEBUG"} {
		if value := os.Getenv(variable); value != "" {
			list = append(list, NotDefault{variable, value, "set by the operator"})
		}
	}
	return list
}

// WriteJSON answers an object of texts and numbers.
func WriteJSON(w http.ResponseWriter, value any) {
	body, err := json.Marshal(value)
	if err != nil { // texts and numbers always can be written
		panic(err)
	}
	w.Header().Set("Content-Type", "application/json")
	_, _ = w.Write(body) // a client that has gone needs no answer
}
