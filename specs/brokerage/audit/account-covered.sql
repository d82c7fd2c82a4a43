-- No account that has only bought is overdrawn.
SELECT a.account_id, a.user_id, a.balance
FROM accounts AS a
WHERE a.balance < 0
  AND NOT EXISTS (SELECT FROM orders AS o WHERE o.account_id = a.account_id AND o.order_type = 'sell')
