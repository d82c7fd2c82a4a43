-- Every closed order names its holding and was completed once, not before it was placed; an open one was not completed.
-- The clock of the process that completes an order may run a little differently from that of the one that placed it.
SELECT order_id, order_type, status, holding_id, open_time, completion_time
FROM orders
WHERE status NOT IN ('open', 'closed')
   OR status = 'closed' AND (completion_time IS NULL OR completion_time < open_time - interval '1 second' OR holding_id IS NULL)
   OR status = 'open' AND (completion_time IS NOT NULL OR (order_type = 'buy') <> (holding_id IS NULL))
UNION ALL
-- Two orders of one type with the same holding: the same thing done twice.
SELECT min(order_id), order_type, 'twice', holding_id, min(open_time), max(completion_time)
FROM orders
WHERE holding_id IS NOT NULL
GROUP BY holding_id, order_type
HAVING count(*) > 1
