-- Every buy of a run was covered by the balance when it was placed: opening balance, earlier buys, and at most all sells until then.
WITH moved AS (
    -- Orders of one account wait for one another, up to 10 s each, and the clocks of two processes may be a second apart: of
    -- orders that are closer together nobody knows from the outside which was first.
    SELECT order_id, account_id, order_type, open_time, quantity * price + fee AS cost,
           coalesce(sum(quantity * price + fee) FILTER (WHERE order_type = 'buy') OVER (
               PARTITION BY account_id ORDER BY open_time RANGE BETWEEN UNBOUNDED PRECEDING AND interval '11 seconds' PRECEDING), 0) AS bought,
           coalesce(sum(greatest(quantity * price - fee, 0)) FILTER (WHERE order_type = 'sell') OVER (
               PARTITION BY account_id ORDER BY open_time RANGE BETWEEN UNBOUNDED PRECEDING AND interval '11 seconds' FOLLOWING), 0) AS sold
    FROM orders
    WHERE account_id IN (SELECT account_id FROM orders WHERE order_type = 'buy' AND open_time >= '2020-01-01 00:00:00+00')
)
SELECT order_id, account_id, user_id, open_balance, open_balance - bought + sold AS balance_at_most, cost
FROM moved
JOIN accounts USING (account_id)
WHERE order_type = 'buy' AND open_time >= '2020-01-01 00:00:00+00' AND open_balance - bought + sold < cost
