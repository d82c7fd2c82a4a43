package brokerage

import "testing"

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

func TestMoneyInMessagesHasExactlyTwoDecimals(t *testing.T) {
	for text, want := range map[string]Cents{
		"0.00": 0, "0.05": 5, "-0.05": -5, "1234.50": 1234_50, "999999999999.99": 999_999_999_999_99,
	} {
		if got, err := ParseCents(text); err != nil || got != want {
			t.Errorf("%q is read as %d, %v; want %d", text, got, err, want)
		}
	}
	for _, text := range []string{
		"", "1", "1.5", "1.505", ".50", "-.50", "+1.00", "01.00", "1,00", "1e2", "1 .00", " 1.00", "--1.00", "1.-1",
		"1000000000000.00", "NaN", "٣.00",
	} {
		if got, err := ParseCents(text); err == nil {
			t.Errorf("%q is read as %d, want a refusal", text, got)
		}
	}
}

func TestAnOpeningBalanceIsTypedWithUpToTwoDecimals(t *testing.T) {
	for text, want := range map[string]Cents{
		"1000000": 1_000_000_00, "1000000.00": 1_000_000_00, "0": 0, "0.5": 50, "007.25": 7_25, "00000000000000000007": 7_00, "999999999.99": 999_999_999_99,
	} {
		if got, err := parseOpenBalance(text); err != nil || got != want {
			t.Errorf("%q is read as %d, %v; want %d", text, got, err, want)
		}
	}
	for _, text := range []string{"", ".", "1.", ".5", "-1", "+1", "1.234", "1,000", "1e6", "1000000000", "99999999999999999999", "lots", "1 "} {
		if got, err := parseOpenBalance(text); err == nil {
			t.Errorf("%q is read as %d, want a refusal", text, got)
		}
	}
}

func TestAnAverageIsRoundedHalfUp(t *testing.T) {
	for _, c := range []struct {
		sum  Cents
		n    int64
		want Cents
	}{
		{0, 0, 0}, {10, 4, 3}, {9, 4, 2}, {11, 4, 3}, {1, 2, 1}, {-1, 2, -1}, {-10, 4, -3}, {-9, 4, -2},
		{4_400_000_000, 100_000, 44_000},
	} {
		if got := Average(c.sum, c.n); got != c.want {
			t.Errorf("the average of %d cents over %d is %d, want %d", c.sum, c.n, got, c.want)
		}
	}
}
