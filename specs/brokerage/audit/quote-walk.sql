-- Every quote has walked from its opening price as the rules prescribe, once for each completed order: price, low, high and change.
WITH RECURSIVE completed AS (
    SELECT symbol, count(*) AS orders
    FROM orders
    WHERE status = 'closed' AND open_time >= '2020-01-01 00:00:00+00'
    GROUP BY symbol
), walk (symbol, s, orders, n, cents, low, high) AS (
    SELECT q.symbol, substr(q.symbol, 3)::bigint % 100003, coalesce(c.orders, 0), 0::bigint, o.cents, o.cents, o.cents
    FROM quotes AS q
    LEFT JOIN completed AS c USING (symbol),
    LATERAL (SELECT (q.open * 100)::bigint AS cents) AS o
    UNION ALL
    SELECT w.symbol, w.s, w.orders, w.n + 1, p.cents, least(w.low, p.cents), greatest(w.high, p.cents)
    FROM walk AS w,
    LATERAL (SELECT CASE WHEN w.cents <= 100 THEN w.cents * 6
                         WHEN w.cents >= 40000 THEN (w.cents + 1) / 2
                         ELSE (w.cents * (9000 + (w.s * 7919 + (w.n + 1) * 104729) % 2001) + 5000) / 10000 END AS cents) AS p
    WHERE w.n < w.orders
)
SELECT q.symbol, w.n AS completed, q.price, w.cents / 100.0 AS expected_price, q.low, w.low / 100.0 AS expected_low,
       q.high, w.high / 100.0 AS expected_high, q.change, w.cents / 100.0 - q.open AS expected_change
FROM walk AS w
JOIN quotes AS q USING (symbol)
WHERE w.n = w.orders
  AND (q.price * 100 <> w.cents OR q.low * 100 <> w.low OR q.high * 100 <> w.high OR q.change <> q.price - q.open)
