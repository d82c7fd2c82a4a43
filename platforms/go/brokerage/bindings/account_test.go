package bindings_test

import (
	"strings"
	"testing"

	"middlemark/brokerage"
)

func TestLoginChecksThePasswordAndCounts(t *testing.T) {
	eachBinding(t, func(t *testing.T, d desk) {
		ctx := t.Context()
		for _, wrong := range [][2]string{{"uid:1", "yyy"}, {"nobody", "xxx"}, {"uid:1", "XXX"}} {
			_, err := d.Login(ctx, wrong[0], wrong[1])
			mustBe(t, err, brokerage.AuthenticationFailed, "Unknown user or wrong password.")
		}
		_, err := d.Login(ctx, "", "xxx")
		mustBe(t, err, brokerage.InvalidInput, "The user id is missing.")
		account, err := d.Login(ctx, "uid:1", "xxx")
		must(t, err)
		if account.AccountID != 2 || account.UserID != "uid:1" || account.LoginCount != 1 || account.Balance != 970_144_74 {
			t.Errorf("the account is %+v", account)
		}
		mustBeNow(t, "the last login", account.LastLogin)
	})
}

func TestLogoutCounts(t *testing.T) {
	eachBinding(t, func(t *testing.T, d desk) {
		must(t, d.Logout(t.Context(), "uid:1"))
		mustBe(t, d.Logout(t.Context(), "nobody"), brokerage.UnknownUser, "There is no user nobody.")
		account, err := d.GetAccount(t.Context(), "uid:1")
		must(t, err)
		if account.LoginCount != 0 || account.LogoutCount != 1 {
			t.Errorf("the account is %+v", account)
		}
	})
}

func TestRegisterCreatesProfileAndAccountAndLogsIn(t *testing.T) {
	eachBinding(t, func(t *testing.T, d desk) {
		account := d.newUser(t, "new", 1234_50)
		if account.AccountID <= 50 || account.OpenBalance != 1234_50 || account.Balance != 1234_50 || account.LoginCount != 1 {
			t.Errorf("the account is %+v", account)
		}
		mustBeNow(t, "the creation time", account.CreationTime)
		if account.LastLogin != account.CreationTime {
			t.Errorf("the last login is %s, not the creation time", account.LastLogin)
		}
		profile, err := d.GetProfile(t.Context(), "new")
		must(t, err)
		want := brokerage.Profile{UserID: "new", FullName: "Ünï <b>Code</b>", Email: "a@b&c", CreditCard: "4000"}
		if profile != want {
			t.Errorf("the profile is %+v", profile)
		}
		_, err = d.Login(t.Context(), "new", "secret")
		must(t, err)
	})
}

func TestAUserIDIsTakenOnce(t *testing.T) {
	eachBinding(t, func(t *testing.T, d desk) {
		errs := atOnce(8, func() error {
			_, err := d.Register(t.Context(), brokerage.Registration{
				Profile: brokerage.Profile{UserID: "new", FullName: "New"}, Password: "secret",
			})
			return err
		})
		exactlyOneWins(t, errs, brokerage.UserExists)
		if d.Text(`SELECT count(*) FROM accounts`) != "51" || d.Text(`SELECT count(*) FROM profiles`) != "51" {
			t.Error("a refused registration has left a row")
		}
	})
}

func TestARegistrationOutsideItsLimitsIsRefused(t *testing.T) {
	eachBinding(t, func(t *testing.T, d desk) {
		good := brokerage.Registration{Profile: brokerage.Profile{UserID: "new", FullName: "New"}, Password: "secret"}
		for message, spoil := range map[string]func(*brokerage.Registration){
			"The user id has more than 50 characters.":                         func(r *brokerage.Registration) { r.UserID = strings.Repeat("x", 51) },
			"The password is missing.":                                         func(r *brokerage.Registration) { r.Password = "" },
			"The full name must neither begin nor end with white space.":       func(r *brokerage.Registration) { r.FullName = " New" },
			"The address has more than 200 characters.":                        func(r *brokerage.Registration) { r.Address = strings.Repeat("é", 201) },
			"The email must not contain control characters.":                   func(r *brokerage.Registration) { r.Email = "a\x00b" },
			"The credit card has more than 40 characters.":                     func(r *brokerage.Registration) { r.CreditCard = strings.Repeat("4", 41) },
			"The opening balance must be an amount from 0.00 to 999999999.99.": func(r *brokerage.Registration) { r.OpenBalance = -1 },
		} {
			registration := good
			spoil(&registration)
			_, err := d.Register(t.Context(), registration)
			mustBe(t, err, brokerage.InvalidInput, message)
		}
	})
}

func TestAProfileIsUpdatedAndThePasswordOnlyWhenGiven(t *testing.T) {
	eachBinding(t, func(t *testing.T, d desk) {
		ctx := t.Context()
		wanted := brokerage.Profile{UserID: "uid:1", FullName: "One", Address: "Here", Email: "", CreditCard: "1"}
		profile, err := d.UpdateProfile(ctx, wanted, "")
		must(t, err)
		if profile != wanted {
			t.Errorf("the profile is %+v", profile)
		}
		_, err = d.Login(ctx, "uid:1", "xxx")
		must(t, err)
		_, err = d.UpdateProfile(ctx, wanted, "new")
		must(t, err)
		_, err = d.Login(ctx, "uid:1", "xxx")
		mustBe(t, err, brokerage.AuthenticationFailed)
		_, err = d.Login(ctx, "uid:1", "new")
		must(t, err)
		_, err = d.UpdateProfile(ctx, brokerage.Profile{UserID: "nobody", FullName: "One"}, "")
		mustBe(t, err, brokerage.UnknownUser)
		_, err = d.UpdateProfile(ctx, brokerage.Profile{UserID: "uid:1"}, "")
		mustBe(t, err, brokerage.InvalidInput, "The full name is missing.")
	})
}

func TestAnUnknownUserIsTold(t *testing.T) {
	eachBinding(t, func(t *testing.T, d desk) {
		ctx := t.Context()
		for operation, perform := range map[string]func() error{
			"getAccount":      func() error { _, err := d.GetAccount(ctx, "nobody"); return err },
			"getProfile":      func() error { _, err := d.GetProfile(ctx, "nobody"); return err },
			"getHoldings":     func() error { _, err := d.GetHoldings(ctx, "nobody"); return err },
			"getHolding":      func() error { _, err := d.GetHolding(ctx, "nobody", 1); return err },
			"getOrders":       func() error { _, err := d.GetOrders(ctx, "nobody", 5); return err },
			"getClosedOrders": func() error { _, err := d.GetClosedOrders(ctx, "nobody"); return err },
			"buy":             func() error { _, err := d.Buy(ctx, "nobody", "s:999", 1); return err },
			"sell":            func() error { _, err := d.Sell(ctx, "nobody", 999); return err },
		} {
			t.Run(operation, func(t *testing.T) {
				mustBe(t, perform(), brokerage.UnknownUser, "There is no user nobody.")
			})
		}
	})
}
