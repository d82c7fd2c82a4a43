// Package netrpc is `net-rpc`, the platform's own protocol: net/rpc of the standard library, with gob.
package netrpc

import (
	"context"
	"errors"
	"log/slog"
	"net"
	"net/rpc"
	"strings"

	"middlemark/refusals"
	"middlemark/remoting"
	"middlemark/remoting/messages"
	"middlemark/remoting/sockets"
)

const receiver = "Remoting"

// None is an empty message: gob sends no struct without fields.
type None bool

// NewServer offers a service.
func NewServer(service remoting.Service, log *slog.Logger) (*sockets.Server, error) {
	server := rpc.NewServer()
	if err := server.RegisterName(receiver, &Offer{messages.Desk{Service: service, Log: log}}); err != nil {
		return nil, err
	}
	// It returns when nothing can be read any more and everything is answered.
	return sockets.NewServer(func(connection net.Conn) { server.ServeConn(connection) }, log), nil
}

// Offer has a method for each operation, as net/rpc wants them.
type Offer struct {
	desk messages.Desk
}

// perform answers by the operation of that name. net/rpc sends an error as one text: code and message.
func perform[Answer any](o *Offer, operation string, request any, answer *Answer) error {
	named := messages.Operations[operation]
	performed, err := o.desk.Survive(context.Background(), named, request)
	if err != nil {
		refusal := o.desk.Refusal(operation, err)
		return errors.New(string(refusal.Code) + separator + refusal.Message)
	}
	*answer = *performed.(*Answer)
	return nil
}

const separator = ": "

// Ping is called by clients.
func (o *Offer) Ping(_ None, _ *None) error {
	return perform(o, "ping", &messages.Nothing{}, new(messages.Nothing))
}

// StoreOrder is called by clients.
func (o *Offer) StoreOrder(request *remoting.Order, answer *messages.OrderID) error {
	return perform(o, "storeOrder", request, answer)
}

// StoreOrderTables is called by clients.
func (o *Offer) StoreOrderTables(request *messages.TableSet, answer *messages.OrderID) error {
	return perform(o, "storeOrderTables", request, answer)
}

// LoadProducts is called by clients.
func (o *Offer) LoadProducts(_ None, answer *messages.Products) error {
	return perform(o, "loadProducts", &messages.Nothing{}, answer)
}

// LoadProductsTables is called by clients.
func (o *Offer) LoadProductsTables(_ None, answer *messages.TableSet) error {
	return perform(o, "loadProductsTables", &messages.Nothing{}, answer)
}

// LoadProductsConverted is called by clients.
func (o *Offer) LoadProductsConverted(_ None, answer *messages.Products) error {
	return perform(o, "loadProductsConverted", &messages.Nothing{}, answer)
}

// LoadCustomer is called by clients.
func (o *Offer) LoadCustomer(request *messages.CustomerID, answer *messages.FoundCustomer) error {
	return perform(o, "loadCustomer", request, answer)
}

// LoadCustomerTables is called by clients.
func (o *Offer) LoadCustomerTables(request *messages.CustomerID, answer *messages.TableSet) error {
	return perform(o, "loadCustomerTables", request, answer)
}

// refused is the refusal in the text of an error; another text is the library's.
func refused(text string) error {
	code, message, _ := strings.Cut(text, separator)
	if !remoting.IsKnown(refusals.Code(code)) {
		return refusals.Of(errors.New(text))
	}
	return messages.Refused(refusals.Code(code), message)
}
