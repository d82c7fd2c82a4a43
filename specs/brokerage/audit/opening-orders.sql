-- Every order of the data set is there, as it was loaded.
WITH opening AS (
    SELECT (SELECT order_id FROM orders WHERE open_time < '2020-01-01 00:00:00+00' ORDER BY order_id DESC LIMIT 1) AS orders,
           (SELECT account_id FROM accounts WHERE creation_time < '2020-01-01 00:00:00+00' ORDER BY account_id DESC LIMIT 1) AS accounts,
           (SELECT count(*) FROM quotes) AS quotes
)
SELECT r.order_id, r.account_id, r.order_type, r.status, r.symbol, r.quantity, r.price, r.fee, r.open_time, r.completion_time, r.holding_id,
       r.seen, '' AS problem
FROM orders AS r, opening,
LATERAL (SELECT r.order_id - 1 AS o) AS number
WHERE r.order_id <= orders
  AND (r.account_id <> o / (orders / accounts) + 1
    OR r.order_type <> 'buy'
    OR r.status <> 'closed'
    OR r.symbol <> 's:' || o % quotes
    OR r.quantity <> 1 + o * 31 % 100
    OR r.price * 100 <> 1000 + o % quotes * 7919 % 19001
    OR r.fee <> 24.95
    OR r.open_time <> timestamptz '2019-01-01 00:00:00+00' + o * interval '10 seconds'
    OR r.completion_time IS DISTINCT FROM timestamptz '2019-01-01 00:00:01+00' + o * interval '10 seconds'
    OR r.holding_id IS DISTINCT FROM o + 1
    OR NOT r.seen)
UNION ALL
SELECT n, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, 'not there'
FROM opening, generate_series(1, orders) AS n
WHERE (SELECT count(*) FROM orders WHERE order_id BETWEEN 1 AND (SELECT orders FROM opening)) <> (SELECT orders FROM opening)
  AND NOT EXISTS (SELECT FROM orders WHERE order_id = n)
