-- Every quote's volume is the sum of the quantities of its completed orders, those of the data set included.
SELECT q.symbol, q.volume, coalesce(o.quantity, 0) AS expected
FROM quotes AS q
LEFT JOIN (SELECT symbol, sum(quantity) AS quantity FROM orders WHERE status = 'closed' GROUP BY symbol) AS o USING (symbol)
WHERE q.volume <> coalesce(o.quantity, 0)
