SELECT sale_id FROM sales WHERE state <> 'shipped'
