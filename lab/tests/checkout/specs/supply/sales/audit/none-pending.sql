-- No sale is pending.
-- within: 20 s
SELECT sale_id FROM sales WHERE state <> 'shipped'
