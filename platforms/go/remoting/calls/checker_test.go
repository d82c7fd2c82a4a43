package calls

import (
	"os"
	"testing"

	"middlemark/pgtest"
	"middlemark/remoting"
	"middlemark/remoting/messages"
	"middlemark/remoting/tables"
)

func TestTheOrderIsTheSpecifications(t *testing.T) {
	specified, err := os.ReadFile(pgtest.SpecFile("remoting", "order.json"))
	if err != nil {
		t.Fatal(err)
	}
	if string(order) != string(specified) {
		t.Error("order.json differs from specs/remoting/order.json: copy it")
	}
}

func products(names ...string) *messages.Products {
	all := new(messages.Products)
	for _, name := range names {
		all.Products = append(all.Products, remoting.Product{Name: name})
	}
	return all
}

func TestAnswersAreComparedWithTheFirstOne(t *testing.T) {
	set := func(count int) *messages.TableSet {
		return &messages.TableSet{Set: tables.Set{Tables: make([]tables.Table, count)}}
	}
	customer := func(city string) *messages.FoundCustomer {
		return &messages.FoundCustomer{Customer: &remoting.Customer{City: city}}
	}
	for _, c := range []struct {
		sentence      string
		first, answer any
		call          int // of the answer: the first one is 0
		expected      outcome
	}{
		{"the same products", products("a", "b"), products("a", "b"), 10, answered},
		{"another product in the tenth", products("a", "b"), products("a", "c"), 10, different},
		{"another product in the ninth is not looked at", products("a", "b"), products("a", "c"), 9, answered},
		{"a product less", products("a", "b"), products("a"), 9, different},
		{"a table more", set(1), set(2), 3, different},
		{"as many tables", set(1), set(1), 10, answered},
		{"no customer", customer("Graz"), &messages.FoundCustomer{}, 1, different},
		{"another customer in the tenth", customer("Graz"), customer("Lyon"), 20, different},
		{"another order", &messages.OrderID{OrderID: 7}, &messages.OrderID{OrderID: 8}, 10, answered},
		{"no order", &messages.OrderID{OrderID: 7}, &messages.OrderID{}, 1, different},
		{"nothing", &messages.Nothing{}, &messages.Nothing{}, 10, answered},
	} {
		t.Run(c.sentence, func(t *testing.T) {
			check := new(checker)
			for number := range c.call {
				if got := check.outcome(c.first, nil); got != answered {
					t.Fatalf("call %d has the outcome %d", number, got)
				}
			}
			if got := check.outcome(c.answer, nil); got != c.expected {
				t.Errorf("the outcome is %d, want %d", got, c.expected)
			}
		})
	}
}

func TestAFirstAnswerWithoutContentIsDifferent(t *testing.T) {
	if got := new(checker).outcome(products(), nil); got != different {
		t.Errorf("the outcome is %d", got)
	}
}
