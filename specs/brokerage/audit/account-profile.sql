-- Every account has one profile and every profile one account.
SELECT a.account_id, a.user_id AS account_user, p.user_id AS profile_user
FROM accounts AS a
FULL JOIN profiles AS p USING (user_id)
WHERE a.user_id IS NULL OR p.user_id IS NULL
UNION ALL
SELECT min(account_id), user_id, user_id
FROM accounts
GROUP BY user_id
HAVING count(*) > 1
