// Package json is `json`: specs/remoting/openapi.yaml.
package json

import (
	"encoding/json"
	"log/slog"
	"net/http"

	"middlemark/remoting"
	"middlemark/remoting/access"
	"middlemark/remoting/messages"
	"middlemark/remoting/overhttp"
)

var form = overhttp.Form{
	Path: "/services/json/", ContentType: "application/json", Encode: json.Marshal, Decode: json.Unmarshal,
}

// Offer offers a service to admitted callers.
func Offer(mux *http.ServeMux, service remoting.Service, guard *access.Guard, log *slog.Logger) {
	form.Offer(mux, messages.Desk{Service: service, Log: log}, guard)
}

// NewClient calls the service at url (http://host:port).
func NewClient(url string, client *http.Client, authorization string) *messages.Client {
	return form.NewClient(url, client, authorization)
}
