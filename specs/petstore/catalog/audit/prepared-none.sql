-- No transaction is prepared in the catalog.
-- recovery: 60 s
SELECT gid, prepared FROM pg_prepared_xacts WHERE database = current_database()
