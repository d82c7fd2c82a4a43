-- An item has 1,000,000 pieces less those that were shipped.
SELECT items.item, pieces, shipped
FROM items, LATERAL (SELECT coalesce(sum(amount), 0) AS shipped FROM shipments WHERE shipments.item = items.item) AS sums
WHERE pieces + shipped <> 1000000
