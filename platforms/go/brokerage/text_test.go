package brokerage

import (
	"errors"
	"strings"
	"testing"
	"time"
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
		if !errors.Is(err, InvalidInput) || AsRefusal(err).Message != c.message {
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
	if err := (Profile{UserID: "a"}).Check(); !errors.Is(err, InvalidInput) {
		t.Errorf("a profile without name gives %v", err)
	}
	if err := (Registration{Profile: Profile{UserID: "a", FullName: "A"}}).Check(); !errors.Is(err, InvalidInput) {
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

func TestAnErrorThatIsNoRefusalTellsNothingToTheUser(t *testing.T) {
	refusal := AsRefusal(errors.New("relation orders does not exist"))
	if refusal.Code != Internal || strings.Contains(refusal.Message, "relation") {
		t.Errorf("the user reads %q", refusal.Message)
	}
}

func TestWhatCouldNotBeReadSaysNothingOfHow(t *testing.T) {
	refusal := Malformed(errors.New("json: cannot unmarshal number into Go struct field"))
	if refusal.Code != InvalidInput || refusal.Message != "The request cannot be read." {
		t.Errorf("the user reads %q", refusal.Message)
	}
	if _, err := ParseCents("lots"); Malformed(err).Message != `An amount must be text such as "1234.50".` {
		t.Errorf("of an amount the user reads %q", Malformed(err).Message)
	}
}
