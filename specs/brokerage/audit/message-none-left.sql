-- No order message is left.
-- within: 60 s
SELECT message_id, order_id, placed_at
FROM order_messages
