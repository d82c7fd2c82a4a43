package remoting

import (
	"math"
	"strings"
	"time"
	"unicode/utf8"

	"middlemark/money"
	"middlemark/refusals"
)

// Limits of an order (specs/remoting/README.md).
const (
	maxLines    = 100
	maxQuantity = math.MaxInt16
	maxPrice    = 1_000_000
	maxFreight  = money.Cents(1_000_000_00)
	maxText     = 100 // characters

	minYear = 1753
	maxYear = 9998
)

// Order has lines and two addresses.
type Order struct {
	CustomerID string      `json:"customerId" xml:"customerId"`
	EmployeeID int32       `json:"employeeId" xml:"employeeId"`
	OrderDate  LocalTime   `json:"orderDate" xml:"orderDate"`
	Shipping   Address     `json:"shipping" xml:"shipping"`
	Billing    Address     `json:"billing" xml:"billing"`
	ShipVia    int32       `json:"shipVia" xml:"shipVia"`
	Freight    money.Cents `json:"freight" xml:"freight"`
	Lines      []OrderLine `json:"lines" xml:"line"`
}

// Address is where an order or its bill goes.
type Address struct {
	Name       string `json:"name" xml:"name"`
	Street     string `json:"street" xml:"street"`
	City       string `json:"city" xml:"city"`
	Region     string `json:"region" xml:"region"`
	PostalCode string `json:"postalCode" xml:"postalCode"`
	Country    string `json:"country" xml:"country"`
}

// OrderLine is a product of an order.
type OrderLine struct {
	ProductID int32   `json:"productId" xml:"productId"`
	UnitPrice float64 `json:"unitPrice" xml:"unitPrice"`
	Quantity  int32   `json:"quantity" xml:"quantity"`
	Discount  float64 `json:"discount" xml:"discount"`
}

// Check refuses an order outside of its limits. Whether its customer and products exist only the database knows.
func (o *Order) Check() error {
	if len(o.Lines) < 1 || len(o.Lines) > maxLines {
		return refusals.New(refusals.InvalidInput, "An order must have from 1 to %d lines.", maxLines)
	}
	if o.Freight < 0 || o.Freight > maxFreight {
		return refusals.New(refusals.InvalidInput, "The freight must be from 0.00 to %v.", maxFreight)
	}
	if year := o.OrderDate.Year(); year < minYear || year > maxYear {
		return refusals.New(refusals.InvalidInput, "The year of the order date must be from %d to %d.", minYear, maxYear)
	}
	for i := range o.Lines {
		if err := o.Lines[i].check(); err != nil {
			return err
		}
	}
	return refusals.First(
		CheckCustomerID(o.CustomerID),
		o.Shipping.check("shipping address"),
		o.Billing.check("billing address"),
	)
}

func (l *OrderLine) check() error {
	switch {
	case l.Quantity < 1 || l.Quantity > maxQuantity:
		return refusals.New(refusals.InvalidInput, "The quantity must be from 1 to %d.", maxQuantity)
	case !(l.UnitPrice >= 0 && l.UnitPrice <= maxPrice): // also when it is not a number
		return refusals.New(refusals.InvalidInput, "The unit price must be from 0 to %d.", maxPrice)
	case !(l.Discount >= 0 && l.Discount <= 1):
		return refusals.New(refusals.InvalidInput, "The discount must be from 0 to 1.")
	}
	return nil
}

func (a *Address) check(of string) error {
	for _, text := range []string{a.Name, a.Street, a.City, a.Region, a.PostalCode, a.Country} {
		if err := checkText("text of the "+of, text); err != nil {
			return err
		}
	}
	return nil
}

func checkText(name, text string) error {
	if utf8.RuneCountInString(text) > maxText {
		return refusals.New(refusals.InvalidInput, "A %s must have at most %d characters.", name, maxText)
	}
	if !utf8.ValidString(text) || strings.ContainsRune(text, 0) { // PostgreSQL cannot have it
		return refusals.New(refusals.InvalidInput, "A %s must be UTF-8 without U+0000.", name)
	}
	return nil
}

// CheckCustomerID refuses an id that no customer can have.
func CheckCustomerID(id string) error { return checkText("customer id", id) }

// localLayout is a time as it travels: without a zone.
const localLayout = "2006-01-02T15:04:05"

// LocalTime is a time without a zone, a whole second. It is kept as if it were in UTC.
type LocalTime struct{ time.Time }

// ParseLocalTime reads a time such as 2005-02-14T00:00:00.
func ParseLocalTime(text string) (LocalTime, error) {
	read, err := time.Parse(localLayout, strings.TrimSpace(text))
	if err != nil {
		return LocalTime{}, refusals.New(refusals.InvalidInput, "A time must be text such as \"2005-02-14T00:00:00\".")
	}
	return LocalTime{read}, nil
}

// String is the time as it travels.
func (t LocalTime) String() string { return t.Format(localLayout) }

// MarshalText writes String.
func (t LocalTime) MarshalText() ([]byte, error) { return []byte(t.String()), nil }

// UnmarshalText reads with ParseLocalTime.
func (t *LocalTime) UnmarshalText(text []byte) (err error) {
	*t, err = ParseLocalTime(string(text))
	return err
}

// MarshalJSON writes String, and hides that of time.Time.
func (t LocalTime) MarshalJSON() ([]byte, error) { return []byte(`"` + t.String() + `"`), nil }

// UnmarshalJSON reads with ParseLocalTime.
func (t *LocalTime) UnmarshalJSON(text []byte) (err error) {
	*t, err = ParseLocalTime(strings.Trim(string(text), `"`))
	return err
}
