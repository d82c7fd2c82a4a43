-- No shipment is left prepared.
-- recovery: 20 s
SELECT gid FROM pg_prepared_xacts WHERE database = current_database()
