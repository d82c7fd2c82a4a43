package brokerage

import (
	"errors"
	"strconv"
)

// Cents is an amount of money, exact.
type Cents int64

// maxWholeDigits is what numeric(14, 2) holds before the point; such an amount never overflows an int64 of cents.
const maxWholeDigits = 12

var errNotMoney = errors.New(`not an amount such as "1234.50"`)

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

// ParseCents reads the form that String writes and no other.
func ParseCents(text string) (Cents, error) {
	digits, negative := text, false
	if len(digits) > 0 && digits[0] == '-' {
		digits, negative = digits[1:], true
	}
	point := len(digits) - 3
	if point < 1 || point > maxWholeDigits || digits[point] != '.' || (point > 1 && digits[0] == '0') {
		return 0, errNotMoney
	}
	return signedCents(digits[:point], digits[point+1:], negative)
}

// ParseTypedCents reads what a person types into a form: no sign, and none, one or two decimals.
func ParseTypedCents(text string) (Cents, error) {
	whole, decimals := text, "00"
	for i := range len(text) {
		if text[i] == '.' {
			whole, decimals = text[:i], text[i+1:]
			break
		}
	}
	if len(decimals) == 1 {
		decimals += "0"
	}
	if len(whole) < 1 || len(decimals) != 2 {
		return 0, errNotMoney
	}
	return signedCents(whole, decimals, false)
}

func signedCents(whole, decimals string, negative bool) (Cents, error) {
	n, err := wholeNumber(whole + decimals)
	if err != nil {
		return 0, errNotMoney
	}
	if negative {
		n = -n
	}
	return Cents(n), nil
}

// MarshalText writes String.
func (c Cents) MarshalText() ([]byte, error) { return []byte(c.String()), nil }

// UnmarshalText reads with ParseCents.
func (c *Cents) UnmarshalText(text []byte) error {
	parsed, err := ParseCents(string(text))
	if err == nil {
		*c = parsed
	}
	return err
}

// Times is the amount for a quantity of shares.
func (c Cents) Times(quantity int64) Cents { return c * Cents(quantity) }

// Average is sum/n rounded half-up (half away from zero) to whole cents; the average of nothing is 0.
func Average(sum Cents, n int64) Cents {
	if n == 0 {
		return 0
	}
	half := Cents(n)
	if sum < 0 {
		half = -half
	}
	return (2*sum + half) / Cents(2*n)
}

// wholeNumber reads decimal digits and nothing else: no sign, no blanks, no exponent.
func wholeNumber(text string) (int64, error) {
	for i := range len(text) {
		if text[i] < '0' || text[i] > '9' {
			return 0, strconv.ErrSyntax
		}
	}
	return strconv.ParseInt(text, 10, 64)
}
