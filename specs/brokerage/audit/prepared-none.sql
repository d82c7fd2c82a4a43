-- No transaction is left prepared.
-- recovery: 300 s
SELECT gid, prepared, owner
FROM pg_prepared_xacts
WHERE database = current_database()
