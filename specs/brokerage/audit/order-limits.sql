-- Every order has the fee 24.95 and a quantity from 1 to 1,000,000.
SELECT order_id, order_type, symbol, quantity, price, fee
FROM orders
WHERE fee <> 24.95 OR quantity NOT BETWEEN 1 AND 1000000
