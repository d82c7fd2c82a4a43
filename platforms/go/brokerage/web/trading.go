package web

import (
	"net/http"
	"strings"
	"unicode"

	"middlemark/brokerage"
)

// defaultSymbols are shown when none is asked for.
const defaultSymbols = "s:0,s:1,s:2,s:3,s:4"

// quotesContent is the quotes found for the symbols asked.
type quotesContent struct {
	Asked   string
	Quotes  []brokerage.Quote
	Unknown string // the symbols not found, separated for reading
}

func (s *Site) quotes(v visit) error {
	symbols := splitSymbols(v.typed("symbols"))
	if len(symbols) == 0 {
		symbols = splitSymbols(defaultSymbols)
	}
	ctx, services := v.r.Context(), s.services()
	quotes, err := services.GetQuotes(ctx, symbols)
	if err != nil {
		return err
	}
	alerts, err := services.GetClosedOrders(ctx, v.userID)
	if err != nil {
		return err
	}
	s.show(v, http.StatusOK, page{
		Name: "quotes", Title: "Quotes", Alerts: alerts,
		Content: quotesContent{Asked: strings.Join(symbols, ","), Quotes: quotes, Unknown: unknown(symbols, quotes)},
	})
	return nil
}

func splitSymbols(text string) []string {
	return strings.FieldsFunc(text, func(c rune) bool { return c == ',' || unicode.IsSpace(c) })
}

// unknown names the symbols without quote, each once, in the order asked.
func unknown(symbols []string, quotes []brokerage.Quote) string {
	known := make(map[string]bool, len(symbols))
	for _, quote := range quotes {
		known[quote.Symbol] = true
	}
	var missing []string
	for _, symbol := range symbols {
		if !known[symbol] {
			missing = append(missing, symbol)
			known[symbol] = true
		}
	}
	return strings.Join(missing, ", ")
}

func (s *Site) buy(v visit) error {
	quantity, err := brokerage.ParseQuantity(v.typed("quantity"))
	if err != nil {
		return err
	}
	order, err := s.services().Buy(v.r.Context(), v.userID, v.typed("symbol"), quantity)
	return s.confirm(v, order, err)
}

func (s *Site) sell(v visit) error {
	holdingID, err := brokerage.ParseHoldingID(v.typed("holding_id"))
	if err != nil {
		return err
	}
	order, err := s.services().Sell(v.r.Context(), v.userID, holdingID)
	return s.confirm(v, order, err)
}

// confirm shows the order confirmation, or the error page when there is no order.
func (s *Site) confirm(v visit, order brokerage.Order, err error) error {
	if err != nil {
		return err
	}
	s.show(v, http.StatusOK, page{Name: "order", Title: "Order confirmation", Content: order})
	return nil
}
