-- No item has less than no inventory, nor more than was loaded.
SELECT item_id, quantity FROM inventory WHERE quantity NOT BETWEEN 0 AND 1000000
