-- Keys, made after the data set is loaded.
ALTER TABLE customers ADD PRIMARY KEY (customer_id);
ALTER TABLE products ADD PRIMARY KEY (product_id);
ALTER TABLE orders ADD PRIMARY KEY (order_id);
ALTER TABLE order_lines ADD PRIMARY KEY (order_id, line_number);
ALTER TABLE orders ADD FOREIGN KEY (customer_id) REFERENCES customers;
ALTER TABLE order_lines ADD FOREIGN KEY (order_id) REFERENCES orders, ADD FOREIGN KEY (product_id) REFERENCES products;
