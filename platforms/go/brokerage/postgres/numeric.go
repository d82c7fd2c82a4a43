package postgres

import (
	"fmt"
	"math/big"

	"github.com/jackc/pgx/v5/pgtype"

	"middlemark/brokerage"
)

// numeric lets pgx read and write brokerage.Cents as numeric, exactly.
type numeric brokerage.Cents

// timestamp lets pgx read and write brokerage.Instant as timestamptz.
type timestamp brokerage.Instant

func cents(target *brokerage.Cents) *numeric { return (*numeric)(target) }

func instant(target *brokerage.Instant) *timestamp { return (*timestamp)(target) }

// ScanNumeric implements pgtype.NumericScanner.
func (n *numeric) ScanNumeric(value pgtype.Numeric) error {
	text, err := value.Value()
	if err != nil {
		return err
	}
	amount, err := brokerage.ParseCents(fmt.Sprint(text))
	if err != nil {
		return fmt.Errorf("numeric %v is not an amount", text)
	}
	*n = numeric(amount)
	return nil
}

// NumericValue implements pgtype.NumericValuer.
func (n numeric) NumericValue() (pgtype.Numeric, error) {
	return pgtype.Numeric{Int: big.NewInt(int64(n)), Exp: -2, Valid: true}, nil
}

// ScanTimestamptz implements pgtype.TimestamptzScanner.
func (t *timestamp) ScanTimestamptz(value pgtype.Timestamptz) error {
	if !value.Valid || value.InfinityModifier != pgtype.Finite {
		return fmt.Errorf("timestamp %v is not a point in time", value)
	}
	*t = timestamp(brokerage.InstantOf(value.Time))
	return nil
}

// TimestamptzValue implements pgtype.TimestamptzValuer.
func (t timestamp) TimestamptzValue() (pgtype.Timestamptz, error) {
	return pgtype.Timestamptz{Time: brokerage.Instant(t).Time(), Valid: true}, nil
}
