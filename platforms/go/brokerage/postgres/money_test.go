package postgres_test

import (
	"testing"

	"middlemark/pgtest"
)

func TestMoneyIsReadExactlyWhateverItsScale(t *testing.T) {
	database := pgtest.New(t)
	store := open(t, database, 1)
	database.Exec(`ALTER TABLE accounts ALTER balance TYPE numeric`)
	for written, want := range map[string]string{
		"0": "0.00", "100": "100.00", "1000000": "1000000.00", "0.1": "0.10", "-0.01": "-0.01",
		"999999999999.99": "999999999999.99",
	} {
		database.Exec(`UPDATE accounts SET balance = ` + written + ` WHERE user_id = 'uid:1'`)
		account, err := store.GetAccount(t.Context(), "uid:1")
		if err != nil || account.Balance.String() != want {
			t.Errorf("%s is read as %s, %v", written, account.Balance, err)
		}
	}
	for _, written := range []string{"'NaN'", "'Infinity'", "0.001", "99999999999999999999"} {
		database.Exec(`UPDATE accounts SET balance = ` + written + ` WHERE user_id = 'uid:1'`)
		if account, err := store.GetAccount(t.Context(), "uid:1"); err == nil {
			t.Errorf("%s is read as %s", written, account.Balance)
		}
	}
}
