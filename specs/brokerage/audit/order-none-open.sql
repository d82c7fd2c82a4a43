-- No order is left open.
-- within: 60 s
SELECT order_id, account_id, order_type, symbol, quantity, open_time
FROM orders
WHERE status <> 'closed'
