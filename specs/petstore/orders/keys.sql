-- Keys, foreign keys and indexes of customers and orders; run after the data set is loaded.
ALTER TABLE users ADD PRIMARY KEY (user_id);
ALTER TABLE billing ADD PRIMARY KEY (user_id);
ALTER TABLE orders ADD PRIMARY KEY (order_id);
ALTER TABLE orders ADD UNIQUE (order_key);
ALTER TABLE order_lines ADD PRIMARY KEY (order_id, line_number);
ALTER TABLE decisions ADD PRIMARY KEY (transaction_id);

ALTER TABLE billing ADD FOREIGN KEY (user_id) REFERENCES users;
ALTER TABLE orders ADD FOREIGN KEY (user_id) REFERENCES users;
ALTER TABLE order_lines ADD FOREIGN KEY (order_id) REFERENCES orders;

ALTER TABLE order_lines ADD CHECK (line_number > 0 AND quantity > 0 AND price > 0);
ALTER TABLE decisions ADD CHECK (outcome IN ('commit', 'abort'));

SELECT setval(pg_get_serial_sequence('orders', 'order_id'), (SELECT max(order_id) FROM orders));
