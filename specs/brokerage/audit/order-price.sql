-- Every order of a run has a price its symbol has had: the opening price, or one on the walk the rules prescribe.
WITH RECURSIVE placed AS MATERIALIZED (
    SELECT order_id, symbol, price, status FROM orders WHERE open_time >= '2020-01-01 00:00:00+00'
), walk (symbol, s, completed, n, cents) AS (
    SELECT q.symbol, substr(q.symbol, 3)::bigint % 100003, p.completed, 0::bigint, (q.open * 100)::bigint
    FROM quotes AS q
    JOIN (SELECT symbol, count(*) FILTER (WHERE status = 'closed') AS completed FROM placed GROUP BY symbol) AS p USING (symbol)
    UNION ALL
    SELECT symbol, s, completed, n + 1,
           CASE WHEN cents <= 100 THEN cents * 6
                WHEN cents >= 40000 THEN (cents + 1) / 2
                ELSE (cents * (9000 + (s * 7919 + (n + 1) * 104729) % 2001) + 5000) / 10000 END
    FROM walk
    WHERE n < completed
)
SELECT p.order_id, p.symbol, p.price
FROM placed AS p
WHERE NOT EXISTS (SELECT FROM walk AS w WHERE w.symbol = p.symbol AND w.cents = (p.price * 100)::bigint)
