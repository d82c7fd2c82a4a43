-- No user and no billing differs from the data set.
SELECT user_id
FROM users
JOIN billing AS b USING (user_id), LATERAL (SELECT substr(user_id, 6)::bigint AS u) AS number
WHERE (password, users.first_name, users.last_name, users.address_1, users.phone)
      IS DISTINCT FROM ('xxx', split_part('Ada,Bert,Clara,David,Emma', ',', (u % 5 + 1)::integer), 'Customer ' || u, 1 + u % 999 || ' Market Street', '555-' || lpad((u % 10000)::text, 4, '0'))
   OR (b.card_type, b.card_expiration, b.address_1) IS DISTINCT FROM
      (split_part('Visa,MasterCard,American Express', ',', (u % 3 + 1)::integer), lpad((1 + u % 12)::text, 2, '0') || '/2035', 1 + u % 499 || ' Bank Street')
