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

// ScanNumeric implements pgtype.NumericScanner. PostgreSQL sends a numeric as Int × 10^Exp with any exponent.
func (n *numeric) ScanNumeric(value pgtype.Numeric) error {
	if !value.Valid || value.NaN || value.InfinityModifier != pgtype.Finite {
		return fmt.Errorf("numeric %v is not an amount", value)
	}
	amount := new(big.Int).Set(value.Int)
	ten := big.NewInt(10)
	for exponent := value.Exp; exponent > -2; exponent-- {
		amount.Mul(amount, ten)
	}
	for exponent := value.Exp; exponent < -2; exponent++ {
		rest := new(big.Int)
		if amount.QuoRem(amount, ten, rest); rest.Sign() != 0 {
			return fmt.Errorf("numeric %v has more than two decimals", value)
		}
	}
	if !amount.IsInt64() {
		return fmt.Errorf("numeric %v is too large for an amount", value)
	}
	*n = numeric(amount.Int64())
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
