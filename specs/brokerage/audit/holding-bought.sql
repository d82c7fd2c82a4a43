-- Every holding was made by one closed buy of the same account, symbol, quantity, price and time.
SELECT h.holding_id, h.account_id, h.symbol, h.quantity, h.purchase_price, h.purchase_time, b.order_id,
       b.account_id AS order_account, b.symbol AS order_symbol, b.quantity AS order_quantity, b.price AS order_price, b.completion_time
FROM holdings AS h
LEFT JOIN orders AS b ON b.holding_id = h.holding_id AND b.order_type = 'buy' AND b.status = 'closed'
WHERE b.order_id IS NULL
   OR h.account_id <> b.account_id
   OR h.symbol <> b.symbol
   OR h.quantity <> b.quantity
   OR h.purchase_price <> b.price
   OR h.purchase_time <> b.completion_time
