package postgres

import (
	"context"
	"errors"

	"github.com/jackc/pgx/v5"

	"middlemark/brokerage"
	"middlemark/database"
	"middlemark/refusals"
)

const accountColumns = `a.account_id, a.user_id, a.creation_time, a.open_balance, a.balance,
	a.login_count, a.logout_count, a.last_login`

func scanAccount(row pgx.Row) (brokerage.Account, error) {
	var a brokerage.Account
	err := row.Scan(&a.AccountID, &a.UserID, instant(&a.CreationTime), database.Cents(&a.OpenBalance), database.Cents(&a.Balance),
		&a.LoginCount, &a.LogoutCount, instant(&a.LastLogin))
	return a, err
}

func scanProfile(row pgx.Row) (brokerage.Profile, error) {
	var p brokerage.Profile
	err := row.Scan(&p.UserID, &p.FullName, &p.Address, &p.Email, &p.CreditCard)
	return p, err
}

// account runs a statement that answers one account or no row, which is refused with none.
func (s *Store) account(ctx context.Context, none error, sql string, arguments ...any) (brokerage.Account, error) {
	var account brokerage.Account
	err := s.run(ctx, func(ctx context.Context) (err error) {
		account, err = scanAccount(s.pool.QueryRow(ctx, sql, arguments...))
		return orRefused(err, none)
	})
	return account, err
}

// Login checks the password and counts the login, in one statement.
func (s *Store) Login(ctx context.Context, userID, password string) (brokerage.Account, error) {
	return s.account(ctx, refusals.New(refusals.AuthenticationFailed, "Unknown user or wrong password."), `
		UPDATE accounts a SET login_count = a.login_count + 1, last_login = $3
		FROM profiles p WHERE p.user_id = $1 AND p.password = $2 AND a.user_id = p.user_id
		RETURNING `+accountColumns, userID, password, timestamp(now()))
}

// Logout counts the logout.
func (s *Store) Logout(ctx context.Context, userID string) error {
	return s.run(ctx, func(ctx context.Context) error {
		done, err := s.pool.Exec(ctx, `UPDATE accounts SET logout_count = logout_count + 1 WHERE user_id = $1`, userID)
		if err == nil && done.RowsAffected() == 0 {
			return unknownUser(userID)
		}
		return err
	})
}

// Register creates profile and account, logged in, in one statement: of two registrations at once for one user id,
// the second waits for the first and then inserts nothing.
func (s *Store) Register(ctx context.Context, r brokerage.Registration) (brokerage.Account, error) {
	return s.account(ctx, refusals.New(brokerage.UserExists, "The user id %s is taken.", r.UserID), `
		WITH profile AS (
			INSERT INTO profiles (user_id, password, full_name, address, email, credit_card)
			VALUES ($1, $2, $3, $4, $5, $6) ON CONFLICT (user_id) DO NOTHING RETURNING user_id
		)
		INSERT INTO accounts AS a
			(user_id, creation_time, open_balance, balance, login_count, logout_count, last_login)
		SELECT user_id, $8, $7, $7, 1, 0, $8 FROM profile
		RETURNING `+accountColumns,
		r.UserID, r.Password, r.FullName, r.Address, r.Email, r.CreditCard, database.Numeric(r.OpenBalance), timestamp(now()))
}

// GetAccount reads the account.
func (s *Store) GetAccount(ctx context.Context, userID string) (brokerage.Account, error) {
	return s.account(ctx, unknownUser(userID), `SELECT `+accountColumns+` FROM accounts a WHERE a.user_id = $1`, userID)
}

// GetProfile reads the profile.
func (s *Store) GetProfile(ctx context.Context, userID string) (brokerage.Profile, error) {
	var profile brokerage.Profile
	err := s.run(ctx, func(ctx context.Context) (err error) {
		profile, err = scanProfile(s.pool.QueryRow(ctx, `
			SELECT user_id, full_name, address, email, credit_card FROM profiles WHERE user_id = $1`, userID))
		return orRefused(err, unknownUser(userID))
	})
	return profile, err
}

// UpdateProfile writes the profile and, unless it is empty, the new password.
func (s *Store) UpdateProfile(ctx context.Context, p brokerage.Profile, newPassword string) (brokerage.Profile, error) {
	var profile brokerage.Profile
	err := s.run(ctx, func(ctx context.Context) (err error) {
		profile, err = scanProfile(s.pool.QueryRow(ctx, `
			UPDATE profiles SET full_name = $2, address = $3, email = $4, credit_card = $5,
				password = CASE WHEN $6::text = '' THEN password ELSE $6::text END
			WHERE user_id = $1 RETURNING user_id, full_name, address, email, credit_card`,
			p.UserID, p.FullName, p.Address, p.Email, p.CreditCard, newPassword))
		return orRefused(err, unknownUser(p.UserID))
	})
	return profile, err
}

// ofUser collects what a user has, from a statement that begins with the account: no row is an unknown user, a row
// whose first column is null a user who has none.
func ofUser[T any](rows pgx.Rows, userID string, scan pgx.RowToFunc[T]) ([]T, error) {
	defer rows.Close()
	found, isKnown := []T{}, false
	for rows.Next() {
		isKnown = true
		if rows.RawValues()[0] == nil {
			continue
		}
		one, err := scan(rows)
		if err != nil {
			return nil, err
		}
		found = append(found, one)
	}
	if err := rows.Err(); err != nil {
		return nil, err
	}
	if !isKnown {
		return nil, unknownUser(userID)
	}
	return found, nil
}

func unknownUser(userID string) error {
	return refusals.New(brokerage.UnknownUser, "There is no user %s.", userID)
}

// orRefused replaces "no row" by the refusal that it means.
func orRefused(err, refusal error) error {
	if errors.Is(err, pgx.ErrNoRows) {
		return refusal
	}
	return err
}
