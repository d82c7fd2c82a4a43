-- Every line has the price of its item in the catalog, and 1 to 100 pieces.
SELECT order_id, line_number, item_id, quantity, price
FROM order_lines
WHERE quantity NOT BETWEEN 1 AND 100
   OR item_id !~ '^i:[0-9]{1,9}-[0-9]{1,9}$'
   OR price <> (500 + (substr(split_part(item_id, '-', 1), 3)::bigint * 50 + split_part(item_id, '-', 2)::bigint) * 7919 % 9501)::numeric / 100
