// Package soap is the web service (specs/petstore/petstore.wsdl): Offer offers orders, NewClient asks another server for them.
package soap

import (
	"context"
	_ "embed"
	"log/slog"
	"net/http"
	"time"

	"middlemark/money"
	"middlemark/petstore"
	"middlemark/refusals"
	"middlemark/soap"
)

// wsdl is specs/petstore/petstore.wsdl; a test holds the two equal.
//
//go:embed petstore.wsdl
var wsdl string

const space = "urn:middlemark:petstore:1"

type nothing struct{}

type orderRequest struct {
	OrderID int64 `xml:"orderId"`
}

type orderMessage struct {
	OrderID        int64          `xml:"orderId"`
	OrderDate      time.Time      `xml:"orderDate"`
	UserID         string         `xml:"userId"`
	CardType       string         `xml:"cardType"`
	CardNumber     string         `xml:"cardNumber"`
	CardExpiration string         `xml:"cardExpiration"`
	Billing        addressMessage `xml:"billing"`
	Shipping       addressMessage `xml:"shipping"`
	Lines          []lineMessage  `xml:"line"`
}

type addressMessage struct {
	FirstName string `xml:"firstName"`
	LastName  string `xml:"lastName"`
	Address1  string `xml:"address1"`
	Address2  string `xml:"address2"`
	City      string `xml:"city"`
	State     string `xml:"state"`
	Zip       string `xml:"zip"`
	Country   string `xml:"country"`
	Phone     string `xml:"phone"`
}

type lineMessage struct {
	ItemID   string      `xml:"itemId"`
	Number   int         `xml:"lineNumber"`
	Quantity int         `xml:"quantity"`
	Price    money.Cents `xml:"price"`
}

// Offer offers the orders and the description.
func Offer(mux *http.ServeMux, orders petstore.Orders, log *slog.Logger) {
	soap.Offer(mux, soap.Contract{Space: space, WSDL: wsdl, Operations: map[string]soap.Operation{
		"ping": {
			NewRequest: func() any { return new(nothing) },
			Perform:    func(context.Context, any) (any, error) { return nothing{}, nil },
		},
		"getOrder": {
			NewRequest: func() any { return new(orderRequest) },
			Perform: func(ctx context.Context, request any) (any, error) {
				id := request.(*orderRequest).OrderID
				if id < 1 {
					return nil, petstore.NoOrderID()
				}
				order, err := orders.Order(ctx, id)
				return messageOf(order), err
			},
		},
	}}, nil, log)
}

func messageOf(o petstore.Order) orderMessage {
	message := orderMessage{
		OrderID: o.ID, OrderDate: o.Date.UTC(), UserID: o.UserID,
		CardType: o.Card.Type, CardNumber: o.Card.Number, CardExpiration: o.Card.Expiration,
		Billing: addressMessage(o.Billing), Shipping: addressMessage(o.Shipping),
	}
	for _, line := range o.Lines {
		message.Lines = append(message.Lines, lineMessage(line))
	}
	return message
}

// Client asks another server for orders.
type Client struct {
	caller soap.Caller
}

// NewClient asks the server at url (http://host:port).
func NewClient(url string, client *http.Client) *Client {
	return &Client{soap.Caller{Space: space, IsKnown: isKnown, Send: soap.OverHTTP(url, client, nil)}}
}

func isKnown(code refusals.Code) bool {
	return code == petstore.UnknownOrder || code == refusals.InvalidInput || code.BlamesServer()
}

// GetOrder is the order with the id.
func (c *Client) GetOrder(ctx context.Context, id int64) (petstore.Order, error) {
	var message orderMessage
	if err := c.caller.Call(ctx, "getOrder", orderRequest{id}, &message); err != nil {
		return petstore.Order{}, err
	}
	order := petstore.Order{
		ID: message.OrderID, UserID: message.UserID, Date: message.OrderDate,
		Card:    petstore.Card{Type: message.CardType, Number: message.CardNumber, Expiration: message.CardExpiration},
		Billing: petstore.Address(message.Billing), Shipping: petstore.Address(message.Shipping),
	}
	for _, line := range message.Lines {
		order.Lines = append(order.Lines, petstore.Line(line))
	}
	return order, nil
}

// Ping answers when the other server can be reached.
func (c *Client) Ping(ctx context.Context) error {
	return c.caller.Call(ctx, "ping", nothing{}, new(nothing))
}
