// Package httpprotobuf is `http-protobuf`: messages of specs/remoting/remoting.proto over HTTP.
package httpprotobuf

import (
	"log/slog"
	"net/http"

	"middlemark/remoting"
	"middlemark/remoting/access"
	"middlemark/remoting/messages"
	"middlemark/remoting/overhttp"
	"middlemark/remoting/protobuf"
)

var form = overhttp.Form{
	Path: "/services/protobuf/", ContentType: "application/x-protobuf", Encode: protobuf.Encode, Decode: protobuf.Decode,
}

// Offer offers a service to admitted callers.
func Offer(mux *http.ServeMux, service remoting.Service, guard *access.Guard, log *slog.Logger) {
	form.Offer(mux, messages.Desk{Service: service, Log: log}, guard)
}

// NewClient calls the service at url (http://host:port).
func NewClient(url string, client *http.Client, authorization string) *messages.Client {
	return form.NewClient(url, client, authorization)
}
