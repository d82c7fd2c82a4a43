CREATE TABLE items (item bigint NOT NULL, pieces bigint NOT NULL);
CREATE TABLE shipments (sale_id bigint NOT NULL, item bigint NOT NULL, amount integer NOT NULL);
