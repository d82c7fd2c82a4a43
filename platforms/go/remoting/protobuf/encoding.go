// Package protobuf has the messages of the operations as those of specs/remoting/remoting.proto.
package protobuf

import (
	"fmt"

	"google.golang.org/protobuf/proto"

	"middlemark/remoting"
	"middlemark/remoting/messages"
	"middlemark/remoting/tables"
	"middlemark/remoting/wire"
)

// Encode writes a message.
func Encode(message any) ([]byte, error) {
	sent, err := ToWire(message)
	if err != nil {
		return nil, err
	}
	return proto.Marshal(sent)
}

// Decode reads a message into the one that target points to.
func Decode(data []byte, target any) error {
	sent := emptyFor(target)
	if err := proto.Unmarshal(data, sent); err != nil {
		return err
	}
	return FromWire(sent, target)
}

func emptyFor(target any) proto.Message {
	switch target.(type) {
	case *messages.Nothing:
		return new(wire.Nothing)
	case *messages.OrderID:
		return new(wire.OrderId)
	case *messages.CustomerID:
		return new(wire.CustomerId)
	case *remoting.Order:
		return new(wire.Order)
	case *messages.Products:
		return new(wire.Products)
	case *messages.FoundCustomer:
		return new(wire.FoundCustomer)
	case *messages.TableSet:
		return new(wire.TableSet)
	}
	panic(fmt.Sprintf("%T is not a message", target))
}

// ToWire is a message as it is sent.
func ToWire(message any) (proto.Message, error) {
	switch m := message.(type) {
	case *messages.Nothing:
		return &wire.Nothing{}, nil
	case *messages.OrderID:
		return &wire.OrderId{OrderId: m.OrderID}, nil
	case *messages.CustomerID:
		return &wire.CustomerId{CustomerId: m.CustomerID}, nil
	case *remoting.Order:
		return toOrder(m), nil
	case *messages.Products:
		return toProducts(m.Products), nil
	case *messages.FoundCustomer:
		return &wire.FoundCustomer{Customer: toCustomer(m.Customer)}, nil
	case *messages.TableSet:
		document, err := m.Set.Document()
		return &wire.TableSet{Xml: string(document)}, err
	}
	panic(fmt.Sprintf("%T is not a message", message))
}

// FromWire reads a message that was sent.
func FromWire(sent proto.Message, target any) (err error) {
	switch t := target.(type) {
	case *messages.Nothing:
	case *messages.OrderID:
		t.OrderID = sent.(*wire.OrderId).GetOrderId()
	case *messages.CustomerID:
		t.CustomerID = sent.(*wire.CustomerId).GetCustomerId()
	case *remoting.Order:
		return fromOrder(sent.(*wire.Order), t)
	case *messages.Products:
		t.Products, err = fromProducts(sent.(*wire.Products))
	case *messages.FoundCustomer:
		t.Customer = fromCustomer(sent.(*wire.FoundCustomer).GetCustomer())
	case *messages.TableSet:
		var set *tables.Set
		if set, err = tables.Parse([]byte(sent.(*wire.TableSet).GetXml())); err == nil {
			t.Set = *set
		}
	default:
		panic(fmt.Sprintf("%T is not a message", target))
	}
	return err
}
