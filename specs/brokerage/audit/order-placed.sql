-- Every order of a run has a new id, in the order of time, and was placed after its account was opened and its holding was bought.
WITH placed AS (
    SELECT order_id, account_id, order_type, open_time, completion_time, holding_id,
           max(open_time) OVER (ORDER BY order_id ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING) AS latest_before
    FROM orders
    WHERE open_time >= '2020-01-01 00:00:00+00'
)
SELECT p.order_id, p.order_type, p.open_time, p.completion_time, p.latest_before, a.creation_time AS account_opened, b.completion_time AS bought
FROM placed AS p
JOIN accounts AS a USING (account_id)
LEFT JOIN orders AS b ON p.order_type = 'sell' AND b.order_type = 'buy' AND b.holding_id = p.holding_id
WHERE p.order_id > pg_sequence_last_value(pg_get_serial_sequence('orders', 'order_id')::regclass)
   OR p.order_id <= (SELECT order_id FROM orders WHERE open_time < '2020-01-01 00:00:00+00' ORDER BY order_id DESC LIMIT 1)
   OR greatest(p.open_time, p.completion_time) > now() + interval '1 minute' -- the clock of another machine may be fast
   OR p.latest_before > p.open_time + interval '1 minute'                    -- ids are drawn inside transactions that last seconds
   -- An account or holding may have been made by another process, whose clock runs a little differently.
   OR p.open_time < a.creation_time - interval '1 second'
   OR p.open_time < b.completion_time - interval '1 second'
