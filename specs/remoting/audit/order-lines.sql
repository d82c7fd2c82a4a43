-- Each order has its twenty lines, or as many as it was sent with, numbered from 1.
SELECT order_id, count(*), max(line_number)
FROM orders LEFT JOIN order_lines USING (order_id)
GROUP BY order_id
HAVING count(line_number) = 0 OR count(line_number) <> max(line_number) OR min(line_number) <> 1
