-- No transaction is left prepared.
SELECT gid, prepared, owner
FROM pg_prepared_xacts
WHERE database = current_database()
