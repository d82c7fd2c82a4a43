-- A holding is marked as being sold exactly while an order that sells it is open.
SELECT h.holding_id, h.account_id, h.being_sold, s.order_id AS open_sell
FROM holdings AS h
LEFT JOIN orders AS s ON s.holding_id = h.holding_id AND s.order_type = 'sell' AND s.status = 'open'
WHERE h.being_sold <> (s.order_id IS NOT NULL)
