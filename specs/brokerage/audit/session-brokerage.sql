-- Every customer whom the measured session registered has the profile and the opening balance it typed.
-- session: brokerage
SELECT user_id, password, full_name, address, email, credit_card, open_balance
FROM profiles
JOIN accounts USING (user_id)
WHERE creation_time >= '2020-01-01 00:00:00+00'
  AND user_id LIKE 'new:%'
  AND (password, full_name, address, email, credit_card, open_balance) IS DISTINCT FROM
      ('xxx', 'New Customer', '1 Market Street, Springfield', 'new@example.com', '4000-0000-0000-0000', 1000000)
