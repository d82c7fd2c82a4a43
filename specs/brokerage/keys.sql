-- Keys, foreign keys and indexes of the brokerage; run after the data set is loaded.
ALTER TABLE profiles ADD PRIMARY KEY (user_id);
ALTER TABLE accounts ADD PRIMARY KEY (account_id);
ALTER TABLE accounts ADD UNIQUE (user_id);
ALTER TABLE quotes ADD PRIMARY KEY (symbol);
ALTER TABLE holdings ADD PRIMARY KEY (holding_id);
ALTER TABLE orders ADD PRIMARY KEY (order_id);
ALTER TABLE order_messages ADD PRIMARY KEY (message_id);
-- An order has one message at most.
ALTER TABLE order_messages ADD UNIQUE (order_id);

CREATE INDEX holdings_account ON holdings (account_id, holding_id);
CREATE INDEX orders_account ON orders (account_id, open_time, order_id);
CREATE INDEX orders_unseen ON orders (account_id, open_time, order_id) WHERE status = 'closed' AND NOT seen;
-- One order makes a holding and one order sells it: the database refuses a second one.
CREATE UNIQUE INDEX orders_one_per_holding ON orders (holding_id, order_type);

ALTER TABLE accounts ADD FOREIGN KEY (user_id) REFERENCES profiles;
ALTER TABLE holdings ADD FOREIGN KEY (account_id) REFERENCES accounts;
ALTER TABLE holdings ADD FOREIGN KEY (symbol) REFERENCES quotes;
ALTER TABLE orders ADD FOREIGN KEY (account_id) REFERENCES accounts;
ALTER TABLE orders ADD FOREIGN KEY (symbol) REFERENCES quotes;
ALTER TABLE order_messages ADD FOREIGN KEY (order_id) REFERENCES orders;

ALTER TABLE accounts ADD CHECK (login_count >= 0 AND logout_count >= 0);
ALTER TABLE quotes ADD CHECK (price > 0 AND low <= price AND price <= high AND change = price - open AND volume >= 0 AND trades >= 0);
ALTER TABLE holdings ADD CHECK (quantity > 0);
ALTER TABLE orders ADD CHECK (order_type IN ('buy', 'sell') AND quantity > 0 AND price > 0);
ALTER TABLE orders ADD CHECK (status = 'open' OR (status = 'closed' AND completion_time IS NOT NULL AND holding_id IS NOT NULL));

SELECT setval(pg_get_serial_sequence('accounts', 'account_id'), (SELECT max(account_id) FROM accounts));
SELECT setval(pg_get_serial_sequence('holdings', 'holding_id'), (SELECT max(holding_id) FROM holdings));
SELECT setval(pg_get_serial_sequence('orders', 'order_id'), (SELECT max(order_id) FROM orders));
