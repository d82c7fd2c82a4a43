// Package soap is `soap` and `tcp-soap`: specs/remoting/remoting.wsdl over HTTP and in frames.
package soap

import (
	"bytes"
	"context"
	_ "embed"
	"errors"
	"log/slog"
	"net"
	"net/http"

	"middlemark/refusals"
	"middlemark/remoting"
	"middlemark/remoting/access"
	"middlemark/remoting/frames"
	"middlemark/remoting/messages"
	"middlemark/remoting/sockets"
	"middlemark/soap"
)

// wsdl is specs/remoting/remoting.wsdl; a test holds the two equal.
//
//go:embed remoting.wsdl
var wsdl string

const space = "urn:middlemark:remoting:1"

// contract is the operations of a service.
func contract(service remoting.Service, log *slog.Logger) soap.Contract {
	desk := messages.Desk{Service: service, Log: log}
	operations := make(map[string]soap.Operation, len(messages.Operations))
	for name, operation := range messages.Operations {
		operations[name] = soap.Operation{
			NewRequest: operation.NewRequest,
			Perform:    func(ctx context.Context, request any) (any, error) { return desk.Survive(ctx, operation, request) },
		}
	}
	return soap.Contract{Space: space, WSDL: wsdl, Operations: operations}
}

// Offer offers a service over HTTP to admitted callers.
func Offer(mux *http.ServeMux, service remoting.Service, guard *access.Guard, log *slog.Logger) {
	soap.Offer(mux, contract(service, log), guard.AdmitRequest, log)
}

// NewServer offers a service in frames.
func NewServer(service remoting.Service, log *slog.Logger) *sockets.Server {
	offered := contract(service, log)
	return sockets.NewServer(func(connection net.Conn) {
		var answered bytes.Buffer
		frames.Serve(connection, func(frame []byte) ([]byte, bool) {
			answer := offered.Answer(context.Background(), bytes.NewReader(frame), log)
			answered.Reset()
			err := answer.Write(&answered)
			return answered.Bytes(), err == nil
		}, tooLong())
	}, log)
}

func tooLong() []byte {
	var answered bytes.Buffer
	// A buffer takes everything.
	_ = soap.Refused(refusals.New(refusals.InvalidInput, "A frame must have at most %d bytes.", frames.MaxFrame)).Write(&answered)
	return answered.Bytes()
}

// NewClient calls the service at url (http://host:port) over HTTP.
func NewClient(url string, client *http.Client, authorization string) *messages.Client {
	header := http.Header{}
	if authorization != "" {
		header.Set("Authorization", authorization)
	}
	return calling(soap.OverHTTP(url, client, header), client.CloseIdleConnections)
}

// NewFrameClient calls a service in frames by dial, whose connection it keeps or makes for each call.
func NewFrameClient(dial func(context.Context) (net.Conn, error), keep bool) *messages.Client {
	client := frames.NewClient(dial, keep)
	return calling(func(ctx context.Context, _ string, envelope []byte) (int, []byte, error) {
		answered, err := client.Exchange(ctx, envelope)
		return 0, answered, err
	}, client.Close)
}

func calling(send soap.Send, close func()) *messages.Client {
	caller := soap.Caller{Space: space, IsKnown: remoting.IsKnown, Send: send}
	return messages.NewClient(func(ctx context.Context, operation string, request, answer any) error {
		err := caller.Call(ctx, operation, request, answer)
		if errors.Is(err, soap.ErrBlamed) {
			return messages.Unread()
		}
		return err
	}, close)
}
