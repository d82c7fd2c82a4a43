// Package json is the JSON binding (specs/brokerage/openapi.yaml): Handler offers services, Client calls them.
package json

import "middlemark/brokerage"

// Path is where the operations live; the operation's name follows.
const Path = "/services/json/"

// The messages have the fields of the brokerage's types, in the same order, and add the names on the wire: the
// compiler refuses the conversion between the two as soon as they differ.
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
	orderFields struct {
		OrderID        int64                 `json:"orderId"`
		Type           brokerage.OrderType   `json:"type"`
		Status         brokerage.OrderStatus `json:"status"`
		Symbol         string                `json:"symbol"`
		Quantity       int64                 `json:"quantity"`
		Price          brokerage.Cents       `json:"price"`
		Fee            brokerage.Cents       `json:"fee"`
		OpenTime       brokerage.Instant     `json:"openTime"`
		CompletionTime *brokerage.Instant    `json:"completionTime"`
		HoldingID      *int64                `json:"holdingId"`
	}
	orderMessage struct {
		orderFields
		Total brokerage.Cents `json:"total"`
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
	problemMessage struct {
		Type   string         `json:"type"`
		Title  brokerage.Code `json:"title"`
		Status int            `json:"status"`
		Detail string         `json:"detail"`
		Code   brokerage.Code `json:"code"`
	}
)

func toOrder(o brokerage.Order) orderMessage {
	return orderMessage{orderFields: orderFields(o), Total: o.Total()}
}

func fromOrder(m orderMessage) brokerage.Order { return brokerage.Order(m.orderFields) }

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
