-- Every symbol of the data set is there with the company and the opening price it was loaded with, and no other.
WITH expected AS (
    SELECT 's:' || s AS symbol, 'Company ' || s || ' Incorporated' AS company, (1000 + s * 7919 % 19001)::numeric / 100 AS open
    FROM generate_series(0::bigint, (SELECT count(*) - 1 FROM quotes)) AS s
)
SELECT symbol, q.company, q.open, e.company AS expected_company, e.open AS expected_open
FROM quotes AS q
FULL JOIN expected AS e USING (symbol)
WHERE q.company IS DISTINCT FROM e.company OR q.open IS DISTINCT FROM e.open
