// Package money has amounts, exact.
package money

import (
	"strconv"
	"strings"

	"middlemark/refusals"
)

// Cents is an amount of money, exact.
type Cents int64

// String is the amount as shown and as sent: two decimals, no thousands separator.
func (c Cents) String() string {
	sign, n := "", uint64(c)
	if c < 0 {
		sign, n = "-", -n
	}
	whole, rest := n/100, n%100
	text := sign + strconv.FormatUint(whole, 10) + "."
	if rest < 10 {
		text += "0"
	}
	return text + strconv.FormatUint(rest, 10)
}

// ParseCents reads an amount with at most two decimals, or refuses it.
func ParseCents(text string) (Cents, error) {
	digits, negative := strings.CutPrefix(strings.TrimSpace(text), "-")
	whole, decimals, _ := strings.Cut(digits, ".")
	if whole == "" || len(decimals) > 2 {
		return 0, refuseAmount()
	}
	n, err := strconv.ParseUint(whole+(decimals + "00")[:2], 10, 63)
	if err != nil {
		return 0, refuseAmount()
	}
	if negative {
		return -Cents(n), nil
	}
	return Cents(n), nil
}

func refuseAmount() error {
	return refusals.New(refusals.InvalidInput, `An amount must be text such as "1234.50".`)
}

// MarshalText writes String.
func (c Cents) MarshalText() ([]byte, error) { return []byte(c.String()), nil }

// UnmarshalText reads with ParseCents.
func (c *Cents) UnmarshalText(text []byte) (err error) {
	*c, err = ParseCents(string(text))
	return err
}

// Times is the amount for a quantity.
func (c Cents) Times(quantity int64) Cents { return c * Cents(quantity) }
