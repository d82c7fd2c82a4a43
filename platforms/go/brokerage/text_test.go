package brokerage

import (
	"errors"
	"strings"
	"testing"
	"time"

	"middlemark/money"
	"middlemark/refusals"
)

func TestATextIsRefusedWithTheReason(t *testing.T) {
	for _, c := range []struct{ text, message string }{
		{"", "The user id is missing."},
		{strings.Repeat("é", 51), "The user id has more than 50 characters."},
		{strings.Repeat("\n", 51), "The user id has more than 50 characters."},
		{"\na", "The user id must not contain control characters."},
		{" a", "The user id must neither begin nor end with white space."},
		{"a\u00a0", "The user id must neither begin nor end with white space."},
		{"a\x00b", "The user id must not contain control characters."},
		{"a\u0085b", "The user id must not contain control characters."},
		{"a\xff", "The user id must not contain control characters."},
	} {
		err := checkUserID(c.text)
		if !errors.Is(err, refusals.InvalidInput) || refusals.Of(err).Message != c.message {
			t.Errorf("%q is refused with %v, want %q", c.text, err, c.message)
		}
	}
}

func TestATextWithinItsLimitsIsTaken(t *testing.T) {
	for _, text := range []string{"a", "uid:0", strings.Repeat("é", 50), "<b>Tom & \"Jerry\"</b>", "O'Neil; DROP TABLE", "\ufffd\U0001fffe"} {
		if err := checkUserID(text); err != nil {
			t.Errorf("%q is refused: %v", text, err)
		}
	}
}

func TestOnlyAddressEmailAndCreditCardMayBeEmpty(t *testing.T) {
	if err := (Profile{UserID: "a", FullName: "A"}).Check(); err != nil {
		t.Error(err)
	}
	if err := (Profile{UserID: "a"}).Check(); !errors.Is(err, refusals.InvalidInput) {
		t.Errorf("a profile without name gives %v", err)
	}
	if err := (Registration{Profile: Profile{UserID: "a", FullName: "A"}}).Check(); !errors.Is(err, refusals.InvalidInput) {
		t.Errorf("a registration without password gives %v", err)
	}
}

func TestATimeIsSentWithSixDecimalsAndShownWithSeconds(t *testing.T) {
	at := InstantOf(time.Date(2026, 1, 31, 9, 0, 0, 123_456_789, time.FixedZone("", 3600)))
	sent, err := at.MarshalText()
	if err != nil || string(sent) != "2026-01-31T08:00:00.123456Z" || at.String() != "2026-01-31 08:00:00" {
		t.Errorf("the time is sent as %s (%v) and shown as %s", sent, err, at)
	}
	var back Instant
	if err := back.UnmarshalText(sent); err != nil || back != at {
		t.Errorf("it comes back as %s, %v", back, err)
	}
}

func TestAnOpeningBalanceOutsideItsLimitsIsRefusedWithThem(t *testing.T) {
	const message = "The opening balance must be an amount from 0.00 to 999999999.99."
	for text, want := range map[string]money.Cents{"1000000": 1_000_000_00, "0": 0, "999999999.99": 999_999_999_99} {
		if got, err := ParseOpenBalance(text); err != nil || got != want {
			t.Errorf("%q is read as %d, %v; want %d", text, got, err, want)
		}
	}
	for _, text := range []string{"", "-1", "-0.01", "1000000000", "999999999.999", "lots"} {
		if got, err := ParseOpenBalance(text); refusals.Of(err).Message != message {
			t.Errorf("%q is read as %d, %v", text, got, err)
		}
	}
}
