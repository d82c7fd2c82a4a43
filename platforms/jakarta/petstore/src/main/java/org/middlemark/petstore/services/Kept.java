package org.middlemark.petstore.services;

import java.time.Duration;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;
import java.util.stream.Collectors;

/** Values by key that may be used again up to an age; what is missing or older is read, all of it at once. */
final class Kept<K, V> {
    private final long nanoseconds;
    private final Function<V, K> key;
    private final Map<K, Aged<V>> values = new ConcurrentHashMap<>();

    private record Aged<V>(V value, long readAt) {
    }

    Kept(Duration age, Function<V, K> key) {
        this.nanoseconds = age.toNanos();
        this.key = key;
    }

    /** The values of the keys, without those that {@code read} does not find. */
    Map<K, V> find(Collection<K> keys, Function<Collection<K>, List<V>> read) {
        Map<K, V> found = new HashMap<>();
        long now = System.nanoTime();
        for (K one : keys) {
            Aged<V> aged = values.get(one);
            if (aged != null && now - aged.readAt() < nanoseconds) {
                found.put(one, aged.value());
            }
        }
        List<K> missing = keys.stream().filter(one -> !found.containsKey(one)).toList();
        if (!missing.isEmpty()) {
            found.putAll(keep(read.apply(missing), now));
        }
        return found;
    }

    /** Nothing is older than it says: its age counts from before it was read. */
    private Map<K, V> keep(List<V> fresh, long readAt) {
        if (nanoseconds > 0) {
            fresh.forEach(value -> values.put(key.apply(value), new Aged<>(value, readAt)));
        }
        return fresh.stream().collect(Collectors.toMap(key, Function.identity()));
    }
}
