-- Every order has lines numbered from 1 in the order of their items, each item once, and its total is their sum.
SELECT o.order_id, o.total, l.total AS of_lines, l.lines, l.items
FROM orders AS o
LEFT JOIN (
    SELECT order_id, sum(quantity * price) AS total, count(*) AS lines, count(DISTINCT item_id) AS items, max(line_number) AS last,
           array_agg(item_id ORDER BY line_number) = array_agg(item_id ORDER BY item_id COLLATE "C") AS sorted
    FROM order_lines
    GROUP BY order_id
) AS l USING (order_id)
WHERE l.order_id IS NULL OR o.total <> l.total OR l.lines <> l.items OR l.lines <> l.last OR NOT l.sorted
