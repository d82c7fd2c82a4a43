// Package messages is what the bindings json and soap have in common: the operations, and what is asked and answered
// under which keys.
package messages

import (
	"middlemark/brokerage"
	"middlemark/money"
)

// The fields stand in the order of the WSDL. Where a message has the fields of the brokerage's type, the compiler refuses
// the conversion between the two as soon as they differ.
type (
	nothing struct{}

	userMessage struct {
		UserID string `json:"userId" xml:"userId"`
	}
	loginMessage struct {
		UserID   string `json:"userId" xml:"userId"`
		Password string `json:"password" xml:"password"`
	}
	registerMessage struct {
		UserID      string       `json:"userId" xml:"userId"`
		Password    string       `json:"password" xml:"password"`
		FullName    string       `json:"fullName" xml:"fullName"`
		Address     string       `json:"address" xml:"address"`
		Email       string       `json:"email" xml:"email"`
		CreditCard  string       `json:"creditCard" xml:"creditCard"`
		OpenBalance *money.Cents `json:"openBalance" xml:"openBalance"` // nil when it is missing, which 0.00 is not
	}
	updateProfileMessage struct {
		UserID     string `json:"userId" xml:"userId"`
		FullName   string `json:"fullName" xml:"fullName"`
		Address    string `json:"address" xml:"address"`
		Email      string `json:"email" xml:"email"`
		CreditCard string `json:"creditCard" xml:"creditCard"`
		Password   string `json:"password" xml:"password"`
	}
	userHoldingMessage struct {
		UserID    string `json:"userId" xml:"userId"`
		HoldingID int64  `json:"holdingId" xml:"holdingId"`
	}
	getOrdersMessage struct {
		UserID string `json:"userId" xml:"userId"`
		Limit  int    `json:"limit" xml:"limit"`
	}
	symbolMessage struct {
		Symbol string `json:"symbol" xml:"symbol"`
	}
	symbolsMessage struct {
		Symbols []string `json:"symbols" xml:"symbols"`
	}
	buyMessage struct {
		UserID   string `json:"userId" xml:"userId"`
		Symbol   string `json:"symbol" xml:"symbol"`
		Quantity int64  `json:"quantity" xml:"quantity"`
	}
)

type (
	accountMessage struct {
		AccountID    int64             `json:"accountId" xml:"accountId"`
		UserID       string            `json:"userId" xml:"userId"`
		CreationTime brokerage.Instant `json:"creationTime" xml:"creationTime"`
		OpenBalance  money.Cents       `json:"openBalance" xml:"openBalance"`
		Balance      money.Cents       `json:"balance" xml:"balance"`
		LoginCount   int64             `json:"loginCount" xml:"loginCount"`
		LogoutCount  int64             `json:"logoutCount" xml:"logoutCount"`
		LastLogin    brokerage.Instant `json:"lastLogin" xml:"lastLogin"`
	}
	profileMessage struct {
		UserID     string `json:"userId" xml:"userId"`
		FullName   string `json:"fullName" xml:"fullName"`
		Address    string `json:"address" xml:"address"`
		Email      string `json:"email" xml:"email"`
		CreditCard string `json:"creditCard" xml:"creditCard"`
	}
	quoteMessage struct {
		Symbol  string      `json:"symbol" xml:"symbol"`
		Company string      `json:"company" xml:"company"`
		Price   money.Cents `json:"price" xml:"price"`
		Open    money.Cents `json:"open" xml:"open"`
		Low     money.Cents `json:"low" xml:"low"`
		High    money.Cents `json:"high" xml:"high"`
		Change  money.Cents `json:"change" xml:"change"`
		Volume  int64       `json:"volume" xml:"volume"`
	}
	quotesMessage struct {
		Quotes []quoteMessage `json:"quotes" xml:"quotes"`
	}
	holdingMessage struct {
		HoldingID     int64             `json:"holdingId" xml:"holdingId"`
		Symbol        string            `json:"symbol" xml:"symbol"`
		Quantity      int64             `json:"quantity" xml:"quantity"`
		PurchasePrice money.Cents       `json:"purchasePrice" xml:"purchasePrice"`
		PurchaseTime  brokerage.Instant `json:"purchaseTime" xml:"purchaseTime"`
		Price         money.Cents       `json:"price" xml:"price"`
		BeingSold     bool              `json:"beingSold" xml:"beingSold"`
	}
	holdingsMessage struct {
		Holdings []holdingMessage `json:"holdings" xml:"holdings"`
	}
	orderMessage struct {
		OrderID        int64                 `json:"orderId" xml:"orderId"`
		Type           brokerage.OrderType   `json:"type" xml:"type"`
		Status         brokerage.OrderStatus `json:"status" xml:"status"`
		Symbol         string                `json:"symbol" xml:"symbol"`
		Quantity       int64                 `json:"quantity" xml:"quantity"`
		Price          money.Cents           `json:"price" xml:"price"`
		Fee            money.Cents           `json:"fee" xml:"fee"`
		Total          money.Cents           `json:"total" xml:"total"`
		OpenTime       brokerage.Instant     `json:"openTime" xml:"openTime"`
		CompletionTime *brokerage.Instant    `json:"completionTime" xml:"completionTime"`
		HoldingID      *int64                `json:"holdingId" xml:"holdingId"`
	}
	ordersMessage struct {
		Orders []orderMessage `json:"orders" xml:"orders"`
	}
	marketSummaryMessage struct {
		Index     money.Cents       `json:"index" xml:"index"`
		OpenIndex money.Cents       `json:"openIndex" xml:"openIndex"`
		Volume    int64             `json:"volume" xml:"volume"`
		Gainers   []quoteMessage    `json:"gainers" xml:"gainers"`
		Losers    []quoteMessage    `json:"losers" xml:"losers"`
		AsOf      brokerage.Instant `json:"asOf" xml:"asOf"`
	}
)

func toOrder(o brokerage.Order) orderMessage {
	return orderMessage{
		OrderID: o.OrderID, Type: o.Type, Status: o.Status, Symbol: o.Symbol, Quantity: o.Quantity,
		Price: o.Price, Fee: o.Fee, Total: o.Total(), OpenTime: o.OpenTime, CompletionTime: o.CompletionTime, HoldingID: o.HoldingID,
	}
}

func fromOrder(m orderMessage) brokerage.Order {
	return brokerage.Order{
		OrderID: m.OrderID, Type: m.Type, Status: m.Status, Symbol: m.Symbol,
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
