-- Every account opened since the data set was loaded has an opening balance within the limits and a new id, in the order of time.
WITH opened AS (
    SELECT account_id, user_id, creation_time, open_balance,
           max(creation_time) OVER (ORDER BY account_id ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING) AS latest_before
    FROM accounts
    WHERE creation_time >= '2020-01-01 00:00:00+00'
)
SELECT account_id, user_id, creation_time, open_balance, latest_before
FROM opened
WHERE open_balance NOT BETWEEN 0 AND 999999999.99
   OR account_id > pg_sequence_last_value(pg_get_serial_sequence('accounts', 'account_id')::regclass)
   OR account_id <= (SELECT max(account_id) FROM accounts WHERE creation_time < '2020-01-01 00:00:00+00')
   OR creation_time > now() + interval '1 minute' -- the clock of another machine may be fast
   OR latest_before > creation_time + interval '1 minute' -- ids are drawn inside transactions that last seconds
