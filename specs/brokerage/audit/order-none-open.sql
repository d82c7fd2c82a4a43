-- No order is left open.
SELECT order_id, account_id, order_type, symbol, quantity, open_time
FROM orders
WHERE status <> 'closed'
