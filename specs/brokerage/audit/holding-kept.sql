-- What a closed buy made is still held, unless a closed sell has taken it away: holdings are buys less sells.
SELECT b.order_id AS buy, b.holding_id, h.holding_id IS NOT NULL AS held, s.order_id AS sell
FROM orders AS b
LEFT JOIN holdings AS h ON h.holding_id = b.holding_id
LEFT JOIN orders AS s ON s.holding_id = b.holding_id AND s.order_type = 'sell' AND s.status = 'closed'
WHERE b.order_type = 'buy' AND b.status = 'closed'
  AND (h.holding_id IS NULL) = (s.order_id IS NULL)
