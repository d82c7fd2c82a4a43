package database

import (
	"fmt"
	"math/big"

	"github.com/jackc/pgx/v5/pgtype"

	"middlemark/money"
)

// Numeric lets pgx read and write money.Cents as numeric, exactly.
type Numeric money.Cents

// Cents is the amount for pgx to read or write.
func Cents(target *money.Cents) *Numeric { return (*Numeric)(target) }

// ScanNumeric implements pgtype.NumericScanner.
func (n *Numeric) ScanNumeric(value pgtype.Numeric) error {
	text, err := value.Value()
	if err != nil {
		return err
	}
	amount, err := money.ParseCents(fmt.Sprint(text))
	if err != nil {
		return fmt.Errorf("numeric %v is not an amount", text)
	}
	*n = Numeric(amount)
	return nil
}

// NumericValue implements pgtype.NumericValuer.
func (n Numeric) NumericValue() (pgtype.Numeric, error) {
	return pgtype.Numeric{Int: big.NewInt(int64(n)), Exp: -2, Valid: true}, nil
}
