package calls

import (
	"reflect"

	"middlemark/refusals"
	"middlemark/remoting/messages"
)

// every is which answers are compared field by field: one in so many.
const every = 10

// checker compares the answers of a loop with its first one.
type checker struct {
	first any // nil: none was answered yet
	calls int
}

// outcome is how a call ended.
func (c *checker) outcome(answer any, err error) outcome {
	number := c.calls
	c.calls++
	if err != nil {
		return outcomes[refusals.Of(err).Code]
	}
	if c.first == nil {
		c.first = answer
	}
	if extent(answer) == 0 || extent(answer) != extent(c.first) || number%every == 0 && !same(c.first, answer) {
		return different
	}
	return answered
}

// same compares all fields; each order has its own id.
func same(a, b any) bool {
	if _, is := a.(*messages.OrderID); is {
		return true
	}
	return reflect.DeepEqual(a, b)
}

// extent is the number of products or tables, or 1 for a customer or an id; an empty answer has 0.
func extent(answer any) int {
	switch answer := answer.(type) {
	case *messages.Products:
		return len(answer.Products)
	case *messages.TableSet:
		return len(answer.Set.Tables)
	case *messages.FoundCustomer:
		if answer.Customer == nil {
			return 0
		}
	case *messages.OrderID:
		if answer.OrderID < 1 {
			return 0
		}
	}
	return 1
}
