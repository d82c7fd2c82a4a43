package brokerage

import (
	"context"

	"middlemark/refusals"
)

// Checked refuses values outside their limits before the services behind it see them, whatever the binding.
type Checked struct {
	Services
}

// Login checks its input, then calls the services behind it.
func (c Checked) Login(ctx context.Context, userID, password string) (Account, error) {
	if err := refusals.First(checkUserID(userID), checkPassword(password)); err != nil {
		return Account{}, err
	}
	return c.Services.Login(ctx, userID, password)
}

// Logout checks its input, then calls the services behind it.
func (c Checked) Logout(ctx context.Context, userID string) error {
	if err := checkUserID(userID); err != nil {
		return err
	}
	return c.Services.Logout(ctx, userID)
}

// Register checks its input, then calls the services behind it.
func (c Checked) Register(ctx context.Context, registration Registration) (Account, error) {
	if err := registration.Check(); err != nil {
		return Account{}, err
	}
	return c.Services.Register(ctx, registration)
}

// GetAccount checks its input, then calls the services behind it.
func (c Checked) GetAccount(ctx context.Context, userID string) (Account, error) {
	if err := checkUserID(userID); err != nil {
		return Account{}, err
	}
	return c.Services.GetAccount(ctx, userID)
}

// GetProfile checks its input, then calls the services behind it.
func (c Checked) GetProfile(ctx context.Context, userID string) (Profile, error) {
	if err := checkUserID(userID); err != nil {
		return Profile{}, err
	}
	return c.Services.GetProfile(ctx, userID)
}

// UpdateProfile checks its input, then calls the services behind it.
func (c Checked) UpdateProfile(ctx context.Context, profile Profile, newPassword string) (Profile, error) {
	if err := refusals.First(profile.Check(), refusals.CheckText("password", newPassword, 0, maxPassword)); err != nil {
		return Profile{}, err
	}
	return c.Services.UpdateProfile(ctx, profile, newPassword)
}

// GetHoldings checks its input, then calls the services behind it.
func (c Checked) GetHoldings(ctx context.Context, userID string) ([]Holding, error) {
	if err := checkUserID(userID); err != nil {
		return nil, err
	}
	return c.Services.GetHoldings(ctx, userID)
}

// GetHolding checks its input, then calls the services behind it.
func (c Checked) GetHolding(ctx context.Context, userID string, holdingID int64) (Holding, error) {
	if err := refusals.First(checkUserID(userID), checkHoldingID(holdingID)); err != nil {
		return Holding{}, err
	}
	return c.Services.GetHolding(ctx, userID, holdingID)
}

// GetOrders checks its input, then calls the services behind it.
func (c Checked) GetOrders(ctx context.Context, userID string, limit int) ([]Order, error) {
	if err := refusals.First(checkUserID(userID), checkLimit(limit)); err != nil {
		return nil, err
	}
	return c.Services.GetOrders(ctx, userID, limit)
}

// GetClosedOrders checks its input, then calls the services behind it.
func (c Checked) GetClosedOrders(ctx context.Context, userID string) ([]Order, error) {
	if err := checkUserID(userID); err != nil {
		return nil, err
	}
	return c.Services.GetClosedOrders(ctx, userID)
}

// GetQuote checks its input, then calls the services behind it.
func (c Checked) GetQuote(ctx context.Context, symbol string) (Quote, error) {
	if err := checkSymbol(symbol); err != nil {
		return Quote{}, err
	}
	return c.Services.GetQuote(ctx, symbol)
}

// GetQuotes checks its input, then calls the services behind it.
func (c Checked) GetQuotes(ctx context.Context, symbols []string) ([]Quote, error) {
	if err := checkSymbols(symbols); err != nil {
		return nil, err
	}
	return c.Services.GetQuotes(ctx, symbols)
}

// Buy checks its input, then calls the services behind it.
func (c Checked) Buy(ctx context.Context, userID, symbol string, quantity int64) (Order, error) {
	if err := refusals.First(checkUserID(userID), checkSymbol(symbol), checkQuantity(quantity)); err != nil {
		return Order{}, err
	}
	return c.Services.Buy(ctx, userID, symbol, quantity)
}

// Sell checks its input, then calls the services behind it.
func (c Checked) Sell(ctx context.Context, userID string, holdingID int64) (Order, error) {
	if err := refusals.First(checkUserID(userID), checkHoldingID(holdingID)); err != nil {
		return Order{}, err
	}
	return c.Services.Sell(ctx, userID, holdingID)
}
