package brokerage

import (
	"middlemark/money"
	"middlemark/refusals"
)

// Limits of texts in characters, and of the opening balance.
const (
	maxUserID     = 50
	maxPassword   = 50
	maxName       = 100
	maxEmail      = 100
	maxAddress    = 200
	maxCreditCard = 40

	maxOpenBalance money.Cents = 999_999_999_99
)

// Account is a user's money and counters.
type Account struct {
	AccountID    int64
	UserID       string
	CreationTime Instant
	OpenBalance  money.Cents
	Balance      money.Cents
	LoginCount   int64
	LogoutCount  int64
	LastLogin    Instant
}

// Profile says who a user is. The password is not part of it: nobody ever reads it back.
type Profile struct {
	UserID     string
	FullName   string
	Address    string
	Email      string
	CreditCard string
}

// Registration is what a new user gives.
type Registration struct {
	Profile
	Password    string
	OpenBalance money.Cents
}

// Check refuses a registration with a value outside its limits.
func (r Registration) Check() error {
	return refusals.First(
		checkUserID(r.UserID),
		checkPassword(r.Password),
		r.checkTexts(),
		checkOpenBalance(r.OpenBalance),
	)
}

// Check refuses a profile with a value outside its limits.
func (p Profile) Check() error {
	return refusals.First(checkUserID(p.UserID), p.checkTexts())
}

func (p Profile) checkTexts() error {
	return refusals.First(
		refusals.CheckText("full name", p.FullName, 1, maxName),
		refusals.CheckText("address", p.Address, 0, maxAddress),
		refusals.CheckText("email", p.Email, 0, maxEmail),
		refusals.CheckText("credit card", p.CreditCard, 0, maxCreditCard),
	)
}

// ParseOpenBalance reads an opening balance from a form.
func ParseOpenBalance(text string) (money.Cents, error) {
	amount, err := money.ParseCents(text)
	if err != nil {
		return 0, refuseOpenBalance()
	}
	return amount, checkOpenBalance(amount)
}

func checkOpenBalance(amount money.Cents) error {
	if amount < 0 || amount > maxOpenBalance {
		return refuseOpenBalance()
	}
	return nil
}

func refuseOpenBalance() error {
	return refusals.New(refusals.InvalidInput, "The opening balance must be an amount from 0.00 to %s.", maxOpenBalance)
}

func checkUserID(userID string) error { return refusals.CheckText("user id", userID, 1, maxUserID) }
func checkPassword(password string) error {
	return refusals.CheckText("password", password, 1, maxPassword)
}
