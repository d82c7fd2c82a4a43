-- Each order has lines, numbered from 1 without a gap. That of order.json, which loops store, has all of its twenty.
SELECT orders.order_id, ship_name, count(line_number), max(line_number)
FROM orders LEFT JOIN order_lines USING (order_id)
GROUP BY orders.order_id, ship_name
HAVING count(line_number) = 0 OR count(line_number) <> max(line_number) OR min(line_number) <> 1
    OR (ship_name = 'Harbour Lines' AND count(line_number) <> 20)
