package brokerage

import "time"

// Instant is a point in time in microseconds since 1970 UTC: as exact as the database keeps it.
type Instant int64

const (
	sentTime  = "2006-01-02T15:04:05.000000Z"
	shownTime = "2006-01-02 15:04:05"
)

// InstantOf cuts t to microseconds.
func InstantOf(t time.Time) Instant { return Instant(t.UnixMicro()) }

// Time is the instant in UTC.
func (i Instant) Time() time.Time { return time.UnixMicro(int64(i)).UTC() }

// String is the time as pages show it.
func (i Instant) String() string { return i.Time().Format(shownTime) }

// MarshalText writes the time as bindings send it: RFC 3339 in UTC with six decimals.
func (i Instant) MarshalText() ([]byte, error) { return []byte(i.Time().Format(sentTime)), nil }

// UnmarshalText reads any time of RFC 3339.
func (i *Instant) UnmarshalText(text []byte) error {
	t, err := time.Parse(time.RFC3339, string(text))
	if err == nil {
		*i = InstantOf(t)
	}
	return err
}
