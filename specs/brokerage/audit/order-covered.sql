-- Every buy of a run was covered by the balance when it was placed: opening balance, earlier buys, and at most all earlier sells.
WITH moved AS (
    -- Orders of one account are placed one after the other, so a sell that was credited before a buy has a lower id.
    SELECT account_id, order_id, order_type, open_time,
           sum(CASE WHEN order_type = 'buy' THEN -(quantity * price + fee) ELSE greatest(quantity * price - fee, 0) END)
               OVER (PARTITION BY account_id ORDER BY order_id) AS total
    FROM orders
    WHERE account_id IN (SELECT account_id FROM orders WHERE order_type = 'buy' AND open_time >= '2020-01-01 00:00:00+00')
)
SELECT order_id, account_id, user_id, open_balance, open_balance + total AS balance_at_most
FROM moved
JOIN accounts USING (account_id)
WHERE order_type = 'buy' AND open_time >= '2020-01-01 00:00:00+00' AND open_balance + total < 0
