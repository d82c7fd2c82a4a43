-- Every balance is the opening balance less what was bought, with fees, plus what was sold, less fees.
SELECT a.account_id, a.user_id, a.balance, a.open_balance + coalesce(moved.total, 0) AS expected
FROM accounts AS a
LEFT JOIN (
    SELECT account_id,
           sum(CASE WHEN order_type = 'buy' THEN -(quantity * price + fee) -- debited when placed
                    WHEN status = 'closed' THEN quantity * price - fee     -- credited when completed
                    ELSE 0 END) AS total
    FROM orders
    GROUP BY account_id
) AS moved USING (account_id)
WHERE a.balance <> a.open_balance + coalesce(moved.total, 0)
