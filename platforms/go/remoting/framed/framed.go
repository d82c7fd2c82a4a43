// Package framed is `unix` and `tcp-protobuf`: messages of specs/remoting/remoting.proto in frames.
package framed

import (
	"context"
	"log/slog"
	"net"

	"google.golang.org/protobuf/proto"

	"middlemark/exchange"
	"middlemark/refusals"
	"middlemark/remoting"
	"middlemark/remoting/access"
	"middlemark/remoting/frames"
	"middlemark/remoting/messages"
	"middlemark/remoting/protobuf"
	"middlemark/remoting/sockets"
	"middlemark/remoting/wire"
)

// NewServer offers a service to admitted callers.
func NewServer(service remoting.Service, guard *access.Guard, log *slog.Logger) *sockets.Server {
	desk := messages.Desk{Service: service, Log: log}
	return sockets.NewServer(func(connection net.Conn) {
		state, err := sockets.Handshake(connection, frames.Limit)
		if err != nil { // the client reads why in the handshake
			return
		}
		caller := access.CallerOf(state)
		admit := func(authorization string) error { return guard.Admit(authorization, caller) }
		frames.Serve(connection, func(frame []byte) ([]byte, bool) { return answer(desk, admit, frame) }, refused(tooLong))
	}, log)
}

var tooLong = refusals.New(refusals.InvalidInput, "A frame must have at most %d bytes.", frames.MaxFrame)

// answer is that to one frame. A frame that holds no call ends the connection.
func answer(desk messages.Desk, admit func(authorization string) error, frame []byte) (answered []byte, more bool) {
	var call wire.Call
	if err := proto.Unmarshal(frame, &call); err != nil {
		return refused(refusals.Malformed(err)), false
	}
	if err := admit(call.GetAuthorization()); err != nil {
		return refused(refusals.Of(err)), true
	}
	result, refusal := desk.Perform(context.Background(), call.GetOperation(), func(request any) error {
		return protobuf.Decode(call.GetRequest(), request)
	})
	if refusal != nil {
		return refused(refusal), true
	}
	encoded, err := protobuf.Encode(result)
	if err == nil {
		answered, err = proto.Marshal(&wire.Answer{Answer: encoded})
	}
	if err != nil {
		return refused(desk.Refusal(call.GetOperation(), err)), true
	}
	return answered, true
}

func refused(refusal *refusals.Refusal) []byte {
	answered, err := proto.Marshal(&wire.Answer{Code: string(refusal.Code), Message: refusal.Message})
	if err != nil { // a message that is not UTF-8
		answered, _ = proto.Marshal(&wire.Answer{Code: string(refusal.Code)}) // a code is
	}
	return answered
}

// NewClient calls a service by dial, whose connection it keeps or makes for each call.
func NewClient(dial func(context.Context) (net.Conn, error), authorization string, keep bool) *messages.Client {
	client := frames.NewClient(dial, keep)
	return messages.NewClient(func(ctx context.Context, operation string, request, answer any) error {
		encoded, err := protobuf.Encode(request)
		if err != nil {
			return refusals.Malformed(err)
		}
		frame, err := proto.Marshal(&wire.Call{Operation: operation, Authorization: authorization, Request: encoded})
		if err != nil {
			return refusals.Malformed(err)
		}
		answered, err := client.Exchange(ctx, frame)
		if err != nil {
			return err
		}
		var read wire.Answer
		if err := proto.Unmarshal(answered, &read); err != nil {
			return exchange.Broken(err)
		}
		if read.GetCode() != "" {
			return messages.Refused(refusals.Code(read.GetCode()), read.GetMessage())
		}
		if err := protobuf.Decode(read.GetAnswer(), answer); err != nil {
			return exchange.Broken(err)
		}
		return nil
	}, client.Close)
}
