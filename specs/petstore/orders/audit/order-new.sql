-- Every order placed since the data set was loaded has a new id and a time of this run.
SELECT order_id, order_date
FROM orders
WHERE order_date >= '2020-01-01 00:00:00+00'
  AND (order_date > now() + interval '1 minute' -- the clock of another machine may be fast
       OR order_id <= (SELECT max(order_id) FROM orders WHERE order_date < '2020-01-01 00:00:00+00'))
