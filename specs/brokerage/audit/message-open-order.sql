-- Every open order has one message, written when it was placed, and every message is an open order's.
-- Where no message has ever been written, the messages of orders lie in a queue outside of the database.
WITH drawn AS (
    SELECT pg_sequence_last_value(pg_get_serial_sequence('order_messages', 'message_id')::regclass) AS last_id
)
SELECT o.order_id, o.status, o.open_time, m.message_id, m.order_id AS message_order, m.placed_at
FROM (SELECT order_id, status, open_time FROM orders WHERE status = 'open') AS o
FULL JOIN order_messages AS m USING (order_id)
CROSS JOIN drawn
WHERE o.order_id IS NULL
   OR (m.order_id IS NULL AND last_id IS NOT NULL)
   OR m.placed_at <> o.open_time
   OR m.message_id > last_id
UNION ALL
SELECT order_id, 'twice', NULL, min(message_id), order_id, max(placed_at)
FROM order_messages
GROUP BY order_id
HAVING count(*) > 1
