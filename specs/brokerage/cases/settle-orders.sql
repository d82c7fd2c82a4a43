-- `settle: orders` in a case waits until this returns no row.
SELECT 'order ' || order_id AS unfinished FROM orders WHERE status = 'open'
UNION ALL
SELECT 'message ' || message_id FROM order_messages
