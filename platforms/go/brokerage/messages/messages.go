// Package messages is what the bindings json and soap have in common: the operations, and what is asked and answered
// under which keys. How that is written and read is theirs.
package messages

import (
	"fmt"

	"middlemark/brokerage"
)

// The tag `json` is the specification's key, in every binding, and the fields stand in the order of the specification.
// Where a message has the fields of the brokerage's type, the compiler refuses the conversion between the two as soon as
// they differ.
type (
	nothing struct{}

	userMessage struct {
		UserID string `json:"userId"`
	}
	loginMessage struct {
		UserID   string `json:"userId"`
		Password string `json:"password"`
	}
	registerMessage struct {
		UserID      string          `json:"userId"`
		Password    string          `json:"password"`
		FullName    string          `json:"fullName"`
		Address     string          `json:"address"`
		Email       string          `json:"email"`
		CreditCard  string          `json:"creditCard"`
		OpenBalance brokerage.Cents `json:"openBalance"`
	}
	updateProfileMessage struct {
		UserID     string `json:"userId"`
		FullName   string `json:"fullName"`
		Address    string `json:"address"`
		Email      string `json:"email"`
		CreditCard string `json:"creditCard"`
		Password   string `json:"password"`
	}
	userHoldingMessage struct {
		UserID    string `json:"userId"`
		HoldingID int64  `json:"holdingId"`
	}
	getOrdersMessage struct {
		UserID string `json:"userId"`
		Limit  int64  `json:"limit"`
	}
	symbolMessage struct {
		Symbol string `json:"symbol"`
	}
	symbolsMessage struct {
		Symbols []string `json:"symbols"`
	}
	buyMessage struct {
		UserID   string `json:"userId"`
		Symbol   string `json:"symbol"`
		Quantity int64  `json:"quantity"`
	}
)

type (
	accountMessage struct {
		AccountID    int64             `json:"accountId"`
		UserID       string            `json:"userId"`
		CreationTime brokerage.Instant `json:"creationTime"`
		OpenBalance  brokerage.Cents   `json:"openBalance"`
		Balance      brokerage.Cents   `json:"balance"`
		LoginCount   int64             `json:"loginCount"`
		LogoutCount  int64             `json:"logoutCount"`
		LastLogin    brokerage.Instant `json:"lastLogin"`
	}
	profileMessage struct {
		UserID     string `json:"userId"`
		FullName   string `json:"fullName"`
		Address    string `json:"address"`
		Email      string `json:"email"`
		CreditCard string `json:"creditCard"`
	}
	quoteMessage struct {
		Symbol  string          `json:"symbol"`
		Company string          `json:"company"`
		Price   brokerage.Cents `json:"price"`
		Open    brokerage.Cents `json:"open"`
		Low     brokerage.Cents `json:"low"`
		High    brokerage.Cents `json:"high"`
		Change  brokerage.Cents `json:"change"`
		Volume  int64           `json:"volume"`
	}
	quotesMessage struct {
		Quotes []quoteMessage `json:"quotes"`
	}
	holdingMessage struct {
		HoldingID     int64             `json:"holdingId"`
		Symbol        string            `json:"symbol"`
		Quantity      int64             `json:"quantity"`
		PurchasePrice brokerage.Cents   `json:"purchasePrice"`
		PurchaseTime  brokerage.Instant `json:"purchaseTime"`
		Price         brokerage.Cents   `json:"price"`
		BeingSold     bool              `json:"beingSold"`
	}
	holdingsMessage struct {
		Holdings []holdingMessage `json:"holdings"`
	}
	orderMessage struct {
		OrderID        int64              `json:"orderId"`
		Type           orderType          `json:"type"`
		Status         orderStatus        `json:"status"`
		Symbol         string             `json:"symbol"`
		Quantity       int64              `json:"quantity"`
		Price          brokerage.Cents    `json:"price"`
		Fee            brokerage.Cents    `json:"fee"`
		Total          brokerage.Cents    `json:"total"`
		OpenTime       brokerage.Instant  `json:"openTime"`
		CompletionTime *brokerage.Instant `json:"completionTime"`
		HoldingID      *int64             `json:"holdingId"`
	}
	ordersMessage struct {
		Orders []orderMessage `json:"orders"`
	}
	marketSummaryMessage struct {
		Index     brokerage.Cents   `json:"index"`
		OpenIndex brokerage.Cents   `json:"openIndex"`
		Volume    int64             `json:"volume"`
		Gainers   []quoteMessage    `json:"gainers"`
		Losers    []quoteMessage    `json:"losers"`
		AsOf      brokerage.Instant `json:"asOf"`
	}
)

// The words of an order; another one is a fault of whoever has sent it.
type (
	orderType   string
	orderStatus string
)

func (t *orderType) UnmarshalText(text []byte) error {
	*t = orderType(text)
	return oneOf(string(text), string(brokerage.BuyOrder), string(brokerage.SellOrder))
}

func (s *orderStatus) UnmarshalText(text []byte) error {
	*s = orderStatus(text)
	return oneOf(string(text), string(brokerage.OrderOpen), string(brokerage.OrderClosed))
}

func oneOf(word, one, other string) error {
	if word != one && word != other {
		return fmt.Errorf("%q is neither %s nor %s", word, one, other)
	}
	return nil
}

func toOrder(o brokerage.Order) orderMessage {
	return orderMessage{
		OrderID: o.OrderID, Type: orderType(o.Type), Status: orderStatus(o.Status), Symbol: o.Symbol, Quantity: o.Quantity,
		Price: o.Price, Fee: o.Fee, Total: o.Total(), OpenTime: o.OpenTime, CompletionTime: o.CompletionTime, HoldingID: o.HoldingID,
	}
}

func fromOrder(m orderMessage) brokerage.Order {
	return brokerage.Order{
		OrderID: m.OrderID, Type: brokerage.OrderType(m.Type), Status: brokerage.OrderStatus(m.Status), Symbol: m.Symbol,
		Quantity: m.Quantity, Price: m.Price, Fee: m.Fee, OpenTime: m.OpenTime, CompletionTime: m.CompletionTime, HoldingID: m.HoldingID,
	}
}

func toQuote(q brokerage.Quote) quoteMessage { return quoteMessage(q) }

func fromQuote(m quoteMessage) brokerage.Quote { return brokerage.Quote(m) }

func toHolding(h brokerage.Holding) holdingMessage { return holdingMessage(h) }

func fromHolding(m holdingMessage) brokerage.Holding { return brokerage.Holding(m) }

// each converts a list; an empty one stays a list, because null is not one on the wire.
func each[From, To any](list []From, convert func(From) To) []To {
	converted := make([]To, len(list))
	for i, item := range list {
		converted[i] = convert(item)
	}
	return converted
}
