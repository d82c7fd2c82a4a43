-- No transaction is prepared in orders.
-- recovery: 60 s
SELECT gid, prepared FROM pg_prepared_xacts WHERE database = current_database()
