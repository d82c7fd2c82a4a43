-- Every sell is of a whole holding that the same account has bought.
SELECT s.order_id AS sell, s.account_id, s.holding_id, s.symbol, s.quantity, b.order_id AS buy, b.account_id AS bought_by,
       b.symbol AS bought_symbol, b.quantity AS bought_quantity
FROM orders AS s
LEFT JOIN orders AS b ON b.holding_id = s.holding_id AND b.order_type = 'buy' AND b.status = 'closed'
WHERE s.order_type = 'sell'
  AND (b.order_id IS NULL OR b.account_id <> s.account_id OR b.symbol <> s.symbol OR b.quantity <> s.quantity)
