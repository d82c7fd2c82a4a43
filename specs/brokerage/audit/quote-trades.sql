-- Every quote's trades are the orders completed since the data set was loaded.
SELECT q.symbol, q.trades, coalesce(o.completed, 0) AS expected
FROM quotes AS q
LEFT JOIN (
    SELECT symbol, count(*) AS completed
    FROM orders
    WHERE status = 'closed' AND open_time >= '2020-01-01 00:00:00+00'
    GROUP BY symbol
) AS o USING (symbol)
WHERE q.trades <> coalesce(o.completed, 0)
