ALTER TABLE sales ADD PRIMARY KEY (sale_id);
CREATE INDEX ON sales (state) WHERE state = 'pending';
SELECT setval(pg_get_serial_sequence('sales', 'sale_id'), (SELECT max(sale_id) FROM sales));
