package postgres

import (
	"context"
	"strings"
	"sync"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
)

const (
	// finishLimit is how long both databases have to commit or to roll back before that is left to recovery.
	finishLimit = 5 * time.Second
	// doubtAge is after how long a prepared transaction is recovery's: a coordinator that lives has decided by then.
	doubtAge = 15 * time.Second
	// decisionAge is how long a decision stays at least, so that a coordinator that was stopped finds it.
	decisionAge = time.Hour
)

// finished collects the ids of transactions whose decisions are needed no more.
type finished struct {
	mu  sync.Mutex
	ids []string
}

func (f *finished) add(id string) {
	f.mu.Lock()
	f.ids = append(f.ids, id)
	f.mu.Unlock()
}

func (f *finished) take() (ids []string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	ids, f.ids = f.ids, nil
	return ids
}

// Recover finishes transactions in doubt, of any process of this application, every `pause` until ctx ends.
func (s *Store) Recover(ctx context.Context, pause time.Duration) {
	for ctx.Err() == nil {
		if err := s.recoverOnce(ctx); err != nil && ctx.Err() == nil {
			s.warn("transactions in doubt are left to the next look", err)
		}
		select {
		case <-ctx.Done():
		case <-time.After(pause):
		}
	}
}

func (s *Store) recoverOnce(ctx context.Context) error {
	limited, cancel := context.WithTimeout(ctx, 2*finishLimit)
	defer cancel()
	prepared := make(map[string]bool)
	for _, pool := range []*pgxpool.Pool{s.catalog, s.orders} {
		names, err := collect(limited, pool, pgx.RowTo[string], `
			SELECT gid FROM pg_prepared_xacts
			WHERE database = current_database() AND starts_with(gid, $1) AND prepared < now() - $2::interval`, idPrefix, s.doubtAge)
		if err != nil {
			return err
		}
		for _, name := range names {
			prepared[strings.TrimSuffix(strings.TrimSuffix(name, catalogBranch), ordersBranch)] = true
		}
	}
	for id := range prepared {
		outcome, err := s.decide(limited, id, aborted, s.orders)
		if err != nil {
			return err
		}
		if err := s.finish(limited, id, outcome, s.catalog, s.orders); err != nil {
			return err
		}
		s.log.Info("a transaction in doubt is finished", "transaction", id, "outcome", outcome)
	}
	return s.forget(limited)
}

// forget deletes the decisions that nobody needs. After the look above no old one belongs to a prepared transaction.
func (s *Store) forget(ctx context.Context) error {
	_, err := s.orders.Exec(ctx, `DELETE FROM decisions WHERE transaction_id = ANY ($1) OR decided_at < now() - $2::interval`,
		s.finished.take(), decisionAge)
	return err
}
