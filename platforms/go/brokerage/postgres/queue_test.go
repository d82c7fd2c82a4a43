package postgres

import (
	"bytes"
	"context"
	"log/slog"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"

	"middlemark/brokerage/pgtest"
)

func TestANotificationThatFailsIsLoggedAndCostsNoConnection(t *testing.T) {
	for _, c := range []struct {
		sentence, before string
		limit            time.Duration
	}{
		{"refused by the database", `BEGIN; SELECT FROM nowhere`, time.Minute},
		{"after its time", `SELECT 1`, -time.Second},
	} {
		t.Run(c.sentence, func(t *testing.T) {
			var log bytes.Buffer
			store, err := New(pgtest.New(t).URL, 1, slog.New(slog.NewTextHandler(&log, nil)))
			if err != nil {
				t.Fatal(err)
			}
			defer store.Close()
			store.Open(t.Context())
			ctx, cancel := context.WithTimeout(t.Context(), c.limit)
			defer cancel()
			err = store.pool.AcquireFunc(t.Context(), func(connection *pgxpool.Conn) error {
				_, _ = connection.Exec(t.Context(), c.before) // of use where it fails
				store.notify(ctx, connection)
				store.notify(ctx, connection)
				_, err := connection.Exec(t.Context(), `ROLLBACK`)
				return err
			})
			if err != nil {
				t.Fatal(err)
			}
			if lines := strings.Count(log.String(), "the processors were not notified"); lines == 0 {
				t.Errorf("the log says %q", log.String())
			}
			if opened := store.pool.Stat().NewConnsCount(); opened != 1 {
				t.Errorf("%d connections were opened", opened)
			}
			if err := store.Ready(t.Context()); err != nil {
				t.Error(err)
			}
			if opened := store.pool.Stat().NewConnsCount(); opened != 1 {
				t.Errorf("the connection was replaced: %d were opened", opened)
			}
		})
	}
}
