-- Every account of the data set is there with the user id, creation time and opening balance it was loaded with.
WITH opening AS (
    SELECT account_id AS accounts
    FROM accounts
    WHERE creation_time < '2020-01-01 00:00:00+00'
    ORDER BY account_id DESC
    LIMIT 1
)
SELECT account_id, user_id, creation_time, open_balance, '' AS problem
FROM accounts, opening
WHERE account_id <= accounts
  AND (user_id <> 'uid:' || account_id - 1
    OR creation_time <> timestamptz '2018-01-01 00:00:00+00' + (account_id - 1) * interval '1 second'
    OR open_balance <> 1000000)
UNION ALL
SELECT n, NULL, NULL, NULL, 'not there'
FROM opening, generate_series(1, accounts) AS n
WHERE (SELECT count(*) FROM accounts WHERE account_id BETWEEN 1 AND (SELECT accounts FROM opening)) <> (SELECT accounts FROM opening)
  AND NOT EXISTS (SELECT FROM accounts WHERE account_id = n)
