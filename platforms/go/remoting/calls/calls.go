// Package calls is the client's addresses: one call, and a loop of calls (specs/remoting/loops.md). It knows no protocol.
package calls

import (
	"bytes"
	"context"
	"crypto/sha256"
	_ "embed"
	"encoding/hex"
	"encoding/json"
	"io"
	"log/slog"
	"net/http"

	"middlemark/refusals"
	"middlemark/remoting"
	"middlemark/remoting/client"
	"middlemark/remoting/messages"
	"middlemark/remoting/overhttp"
	"middlemark/remoting/tables"
)

// order is specs/remoting/order.json; a test holds the two equal.
//
//go:embed order.json
var order []byte

const (
	customerID = "C0017" // asked for unless another is named
	// Which operation stored an order shows its employee.
	employeeOfTables = 6

	hashHeader = "Answer-Hash"
	hashDigits = 16
)

// desk answers the client's addresses.
type desk struct {
	client *client.Client
	log    *slog.Logger
}

// New answers both addresses.
func New(client *client.Client, log *slog.Logger) http.Handler {
	d, mux := desk{client, log}, http.NewServeMux()
	mux.HandleFunc("POST /call/{protocol}/{operation}", d.named(d.call))
	mux.HandleFunc("GET /loop/{protocol}/{operation}", d.named(d.loop))
	return mux
}

// use makes calls of an operation by a proxy.
type use func(w http.ResponseWriter, r *http.Request, proxy client.Proxy, name string) error

// named finds the protocol and the operation in the path.
func (d desk) named(use use) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		protocol, operation := r.PathValue("protocol"), r.PathValue("operation")
		if _, exists := messages.Operations[operation]; !exists || !d.client.Offered(protocol) {
			http.NotFound(w, r)
			return
		}
		proxy, err := d.client.Take(protocol)
		if err == nil {
			defer d.client.Return(protocol, proxy)
			err = use(w, r, proxy, operation)
		}
		if err != nil {
			refusal := refusals.Of(err)
			if refusal.Code == refusals.Internal {
				d.log.Error("call failed", "protocol", protocol, "operation", operation, "error", err)
			}
			overhttp.Refuse(w, refusal)
		}
	}
}

func (d desk) call(w http.ResponseWriter, r *http.Request, proxy client.Proxy, operation string) error {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return refusals.Malformed(err)
	}
	request, err := requestOf(operation, body)
	if err != nil {
		return err
	}
	answer, err := messages.Operations[operation].Perform(context.WithoutCancel(r.Context()), proxy, request)
	if err != nil {
		return err
	}
	text, err := shown(answer)
	if err != nil {
		return err
	}
	hash, err := hashOf(answer)
	if err != nil {
		return err
	}
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set(hashHeader, hash)
	_, _ = w.Write(text) // a client that has gone needs no answer
	return nil
}

// requestOf is the request in a body, or without one the specification's.
func requestOf(operation string, body []byte) (any, error) {
	request := messages.Operations[operation].NewRequest()
	if len(bytes.TrimSpace(body)) > 0 {
		if err := json.Unmarshal(body, request); err != nil {
			return nil, refusals.Malformed(err)
		}
		return request, nil
	}
	switch request := request.(type) {
	case *remoting.Order:
		return request, json.Unmarshal(order, request)
	case *messages.TableSet:
		var o remoting.Order
		if err := json.Unmarshal(order, &o); err != nil {
			return nil, err
		}
		o.EmployeeID = employeeOfTables
		request.Set = *remoting.TablesOf(&o)
	case *messages.CustomerID:
		request.CustomerID = customerID
	}
	return request, nil
}

// shown is an answer as JSON: a table set is its tables.
func shown(answer any) ([]byte, error) {
	set, is := answer.(*messages.TableSet)
	if !is {
		return marshal(answer)
	}
	return marshal(struct {
		Tables []tableShown `json:"tables"`
	}{tablesShown(&set.Set)})
}

// marshal is JSON that leaves markup readable.
func marshal(value any) ([]byte, error) {
	var text bytes.Buffer
	encoder := json.NewEncoder(&text)
	encoder.SetEscapeHTML(false)
	err := encoder.Encode(value)
	return text.Bytes(), err
}

type tableShown struct {
	Name    string        `json:"name"`
	Columns []columnShown `json:"columns"`
	Rows    [][]*string   `json:"rows"`
}

type columnShown struct {
	Name string      `json:"name"`
	Type tables.Type `json:"type"`
}

func tablesShown(set *tables.Set) []tableShown {
	all := make([]tableShown, len(set.Tables))
	for i, table := range set.Tables {
		all[i] = tableShown{Name: table.Name, Columns: make([]columnShown, len(table.Columns)), Rows: make([][]*string, len(table.Rows))}
		for j, column := range table.Columns {
			all[i].Columns[j] = columnShown(column)
		}
		for j, row := range table.Rows {
			all[i].Rows[j] = make([]*string, len(row))
			for k := range row {
				if !row[k].Missing {
					all[i].Rows[j][k] = &row[k].Text
				}
			}
		}
	}
	return all
}

// hashOf tells answers apart, but for the ids of orders.
func hashOf(answer any) (string, error) {
	if _, is := answer.(*messages.OrderID); is {
		answer = &messages.OrderID{}
	}
	text, err := shown(answer)
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:])[:hashDigits], err
}
