package postgres

import (
	"fmt"

	"github.com/jackc/pgx/v5/pgtype"

	"middlemark/brokerage"
)

// timestamp lets pgx read and write brokerage.Instant as timestamptz.
type timestamp brokerage.Instant

func instant(target *brokerage.Instant) *timestamp { return (*timestamp)(target) }

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
