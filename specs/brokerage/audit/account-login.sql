-- Every account's last login fits its login count: the creation while nobody has logged in since, later otherwise.
SELECT account_id, user_id, creation_time, login_count, logout_count, last_login
FROM accounts
WHERE login_count < CASE WHEN creation_time < '2020-01-01 00:00:00+00' THEN 0 ELSE 1 END -- registering counts one
   OR logout_count < 0
   OR last_login > now() + interval '1 minute' -- the clock of another machine may be fast
   OR last_login < creation_time - interval '1 second' -- the account may have been made by another process
   OR CASE WHEN creation_time >= '2020-01-01 00:00:00+00' THEN login_count = 1 AND last_login <> creation_time
           WHEN login_count = 0 THEN last_login <> creation_time
           ELSE last_login < '2020-01-01 00:00:00+00' END
