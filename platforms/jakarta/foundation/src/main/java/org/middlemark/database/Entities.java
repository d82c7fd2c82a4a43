package org.middlemark.database;

import jakarta.persistence.EntityManager;
import jakarta.persistence.LockModeType;
import jakarta.persistence.Query;
import jakarta.persistence.TypedQuery;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;

/** Asks the persistence context of the caller's transaction; every failure of the database is a StoreFailure. */
public abstract class Entities {
    private static final String TIMEOUT = "jakarta.persistence.query.timeout";

    /** The persistence context that the container has given to the bean. */
    protected abstract EntityManager entityManager();

    /** Does something with the entity manager and translates its failures. */
    public <T> T ask(Function<EntityManager, T> work) {
        try {
            return work.apply(entityManager());
        } catch (StoreFailure late) {
            throw late;
        } catch (RuntimeException failure) {
            // Not every provider wraps what the database says in a PersistenceException.
            throw new StoreFailure(failure);
        }
    }

    /** What a query finds; values by the names of its parameters. */
    public <T> List<T> list(String query, Class<T> type, Map<String, Object> values) {
        return ask(manager -> prepared(manager, query, type, values).getResultList());
    }

    /** What a query finds from {@code first} on, at most so many. */
    public <T> List<T> list(String query, Class<T> type, Map<String, Object> values, int first, int most) {
        return ask(manager -> prepared(manager, query, type, values).setFirstResult(first).setMaxResults(most)
                .getResultList());
    }

    /** What a query finds, locked. */
    public <T> List<T> lock(String query, Class<T> type, Map<String, Object> values) {
        return ask(manager -> prepared(manager, query, type, values).setLockMode(LockModeType.PESSIMISTIC_WRITE)
                .getResultList());
    }

    /** An entity by its key. */
    public <T> Optional<T> find(Class<T> type, Object key) {
        return ask(manager -> Optional.ofNullable(manager.find(type, key, Map.of(TIMEOUT, milliseconds()))));
    }

    /** An entity by its key, locked. */
    public <T> Optional<T> findLocked(Class<T> type, Object key) {
        return ask(manager -> Optional.ofNullable(
                manager.find(type, key, LockModeType.PESSIMISTIC_WRITE, Map.of(TIMEOUT, milliseconds()))));
    }

    /** How many rows an UPDATE or DELETE has changed; values by the names of its parameters. */
    public int change(String query, Map<String, Object> values) {
        return ask(manager -> {
            Query prepared = manager.createQuery(query).setHint(TIMEOUT, milliseconds());
            values.forEach(prepared::setParameter);
            return prepared.executeUpdate();
        });
    }

    /** An entity as a reference, without asking the database. */
    public <T> T reference(Class<T> type, Object key) {
        return ask(manager -> manager.getReference(type, key));
    }

    /** Writes a new entity; its key is known afterwards. */
    public <T> T write(T entity) {
        return ask(manager -> {
            manager.persist(entity);
            manager.flush();
            return entity;
        });
    }

    /** Writes new entities, together. */
    public void writeTogether(List<?> entities) {
        ask(manager -> {
            entities.forEach(manager::persist);
            manager.flush();
            return entities;
        });
    }

    /** Removes an entity that the transaction has read. */
    public void remove(Object entity) {
        ask(manager -> {
            manager.remove(entity);
            return entity;
        });
    }

    /** Writes what the transaction has changed and not written yet. */
    public void flush() {
        ask(manager -> {
            manager.flush();
            return manager;
        });
    }

    private static <T> TypedQuery<T> prepared(EntityManager manager, String query, Class<T> type,
            Map<String, Object> values) {
        TypedQuery<T> prepared = manager.createQuery(query, type).setHint(TIMEOUT, milliseconds());
        values.forEach(prepared::setParameter);
        return prepared;
    }

    private static int milliseconds() {
        return (int) TimeUnit.SECONDS.toMillis(Deadline.secondsLeft());
    }
}
