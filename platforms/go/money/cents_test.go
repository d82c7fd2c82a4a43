package money

import (
	"errors"
	"testing"

	"middlemark/refusals"
)

func TestMoneyIsShownWithTwoDecimalsAndNoSeparator(t *testing.T) {
	for amount, shown := range map[Cents]string{
		0: "0.00", 5: "0.05", 10: "0.10", 1234_50: "1234.50", -1: "-0.01", -24_95: "-24.95",
		999_999_999_99: "999999999.99",
	} {
		if got := amount.String(); got != shown {
			t.Errorf("%d cents are shown as %q, want %q", int64(amount), got, shown)
		}
	}
}

func TestAnAmountIsReadExactlyOrRefused(t *testing.T) {
	for text, want := range map[string]Cents{
		"0.00": 0, "0.05": 5, "-0.05": -5, "1234.50": 1234_50, "999999999999.99": 999_999_999_999_99,
		"1000000": 1_000_000_00, "0.5": 50, "12.25": 12_25, " 1.00\n": 1_00,
	} {
		if got, err := ParseCents(text); err != nil || got != want {
			t.Errorf("%q is read as %d, %v; want %d", text, got, err, want)
		}
	}
	for _, text := range []string{
		"", ".", "1.505", ".50", "-.50", "+1.00", "1,00", "1e2", "1 .00", "--1.00", "1.-1", "1.+1", "1.2.3", "1_000",
		"99999999999999999999", "NaN", "٣.00", "lots",
	} {
		if got, err := ParseCents(text); !errors.Is(err, refusals.InvalidInput) {
			t.Errorf("%q is read as %d, %v; want a refusal", text, got, err)
		}
	}
}
