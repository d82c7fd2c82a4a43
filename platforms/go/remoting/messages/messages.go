// Package messages has the requests and answers of the operations as objects, and both ends of every protocol: Client and Desk.
package messages

import (
	"context"
	"encoding/json"

	"middlemark/remoting"
	"middlemark/remoting/tables"
)

// Nothing is an empty message.
type Nothing struct{}

// OrderID is the answer to an order.
type OrderID struct {
	OrderID int64 `json:"orderId" xml:"orderId"`
}

// CustomerID asks for a customer.
type CustomerID struct {
	CustomerID string `json:"customerId" xml:"customerId"`
}

// Products is all of them.
type Products struct {
	Products []remoting.Product `json:"products" xml:"product"`
}

// FoundCustomer has no customer when there is none.
type FoundCustomer struct {
	Customer *remoting.Customer `json:"customer,omitempty" xml:"customer"`
}

// TableSet is one in a message: elements in XML, a document in JSON.
type TableSet struct {
	Set tables.Set `xml:"urn:middlemark:tables tableSet"`
}

type tableDocument struct {
	XML string `json:"xml"`
}

// MarshalJSON writes the document.
func (t *TableSet) MarshalJSON() ([]byte, error) {
	document, err := t.Set.Document()
	if err != nil {
		return nil, err
	}
	return json.Marshal(tableDocument{string(document)})
}

// UnmarshalJSON reads the document.
func (t *TableSet) UnmarshalJSON(text []byte) error {
	var document tableDocument
	if err := json.Unmarshal(text, &document); err != nil {
		return err
	}
	set, err := tables.Parse([]byte(document.XML))
	if err != nil {
		return err
	}
	t.Set = *set
	return nil
}

// Operation is one of the service's, with its messages.
type Operation struct {
	NewRequest func() any // a pointer to an empty one
	NewAnswer  func() any // as well
	Perform    func(ctx context.Context, service remoting.Service, request any) (any, error)
}

// operation is one whose messages have the types.
func operation[Request, Answer any](perform func(context.Context, remoting.Service, *Request) (*Answer, error)) Operation {
	return Operation{
		NewRequest: func() any { return new(Request) },
		NewAnswer:  func() any { return new(Answer) },
		Perform: func(ctx context.Context, service remoting.Service, request any) (any, error) {
			answer, err := perform(ctx, service, request.(*Request))
			if err != nil { // not a nil pointer of a type
				return nil, err
			}
			return answer, nil
		},
	}
}

// Operations are all, by name.
var Operations = map[string]Operation{
	"ping": operation(func(ctx context.Context, s remoting.Service, _ *Nothing) (*Nothing, error) {
		return &Nothing{}, s.Ping(ctx)
	}),
	"storeOrder": operation(func(ctx context.Context, s remoting.Service, request *remoting.Order) (*OrderID, error) {
		id, err := s.StoreOrder(ctx, request)
		return &OrderID{id}, err
	}),
	"storeOrderTables": operation(func(ctx context.Context, s remoting.Service, request *TableSet) (*OrderID, error) {
		id, err := s.StoreOrderTables(ctx, &request.Set)
		return &OrderID{id}, err
	}),
	"loadProducts": operation(func(ctx context.Context, s remoting.Service, _ *Nothing) (*Products, error) {
		products, err := s.LoadProducts(ctx)
		return &Products{products}, err
	}),
	"loadProductsTables": operation(func(ctx context.Context, s remoting.Service, _ *Nothing) (*TableSet, error) {
		return setMessage(s.LoadProductsTables(ctx))
	}),
	"loadProductsConverted": operation(func(ctx context.Context, s remoting.Service, _ *Nothing) (*Products, error) {
		products, err := s.LoadProductsConverted(ctx)
		return &Products{products}, err
	}),
	"loadCustomer": operation(func(ctx context.Context, s remoting.Service, request *CustomerID) (*FoundCustomer, error) {
		customer, err := s.LoadCustomer(ctx, request.CustomerID)
		return &FoundCustomer{customer}, err
	}),
	"loadCustomerTables": operation(func(ctx context.Context, s remoting.Service, request *CustomerID) (*TableSet, error) {
		return setMessage(s.LoadCustomerTables(ctx, request.CustomerID))
	}),
}

func setMessage(set *tables.Set, err error) (*TableSet, error) {
	if err != nil {
		return nil, err
	}
	return &TableSet{*set}, nil
}
