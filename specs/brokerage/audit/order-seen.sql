-- No alert is shown before its order is completed, and none is passed over: who sees one sees all that were completed before it.
SELECT u.order_id, u.account_id, u.status, u.completion_time, s.latest AS completed_and_seen
FROM orders AS u
LEFT JOIN (
    SELECT account_id, max(completion_time) AS latest
    FROM orders
    WHERE status = 'closed' AND seen AND account_id IN (SELECT account_id FROM orders WHERE NOT seen)
    GROUP BY account_id
) AS s USING (account_id)
WHERE u.status = 'open' AND u.seen
   -- A completion is visible when its transaction has ended, which takes seconds at most.
   OR u.status = 'closed' AND NOT u.seen AND u.completion_time < s.latest - interval '1 minute'
