package postgres

import (
	"sync"
	"time"

	"middlemark/petstore"
)

// static keeps catalog data that no request changes, until it is too old.
type static struct {
	categories kept[[]petstore.Category]
	products   kept[petstore.Product]
	items      kept[petstore.Item]
}

func newStatic(age time.Duration) static {
	return static{categories: keep[[]petstore.Category](age), products: keep[petstore.Product](age), items: keep[petstore.Item](age)}
}

// kept is values by id, each until it is `age` old.
type kept[Value any] struct {
	age     time.Duration
	mu      *sync.RWMutex
	entries map[string]aged[Value]
}

type aged[Value any] struct {
	value Value
	read  time.Time
}

func keep[Value any](age time.Duration) kept[Value] {
	return kept[Value]{age: age, mu: new(sync.RWMutex), entries: make(map[string]aged[Value])}
}

// get is what is kept of the ids, and which are missing, each once.
func (k kept[Value]) get(ids []string) (values map[string]Value, missing []string) {
	values = make(map[string]Value, len(ids))
	now := time.Now()
	k.mu.RLock()
	defer k.mu.RUnlock()
	for _, id := range ids {
		if entry, there := k.entries[id]; there && now.Sub(entry.read) < k.age {
			values[id] = entry.value
		} else {
			missing = append(missing, id)
		}
	}
	return values, missing
}

func (k kept[Value]) put(values map[string]Value) {
	if k.age == 0 {
		return
	}
	now := time.Now()
	k.mu.Lock()
	defer k.mu.Unlock()
	for id, value := range values {
		k.entries[id] = aged[Value]{value, now}
	}
}
