-- Every sale is of 1 to 9 pieces.
SELECT sale_id, amount FROM sales WHERE amount NOT BETWEEN 1 AND 9
