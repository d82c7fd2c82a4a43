-- Keys, foreign keys and indexes of the catalog; run after the data set is loaded.
ALTER TABLE categories ADD PRIMARY KEY (category_id);
ALTER TABLE products ADD PRIMARY KEY (product_id);
ALTER TABLE items ADD PRIMARY KEY (item_id);
ALTER TABLE inventory ADD PRIMARY KEY (item_id);

CREATE INDEX products_name ON products (name, product_id);
CREATE INDEX products_category ON products (category_id, name, product_id);
CREATE INDEX items_product ON items (product_id, item_id);

ALTER TABLE products ADD FOREIGN KEY (category_id) REFERENCES categories;
ALTER TABLE items ADD FOREIGN KEY (product_id) REFERENCES products;
ALTER TABLE inventory ADD FOREIGN KEY (item_id) REFERENCES items;

ALTER TABLE items ADD CHECK (price > 0);
ALTER TABLE inventory ADD CHECK (quantity >= 0);
