-- Tables of the catalog (PostgreSQL 14 or later). Keys and indexes are in keys.sql: they are made after the data set is loaded.
CREATE TABLE categories (
    category_id text NOT NULL,
    name        text NOT NULL
);

CREATE TABLE products (
    product_id  text NOT NULL,
    category_id text NOT NULL,
    name        text NOT NULL,
    description text NOT NULL
);

CREATE TABLE items (
    item_id    text NOT NULL,
    product_id text NOT NULL,
    name       text NOT NULL,
    price      numeric(10, 2) NOT NULL
);

-- What changes with every order, apart from what never does.
CREATE TABLE inventory (
    item_id  text NOT NULL,
    quantity bigint NOT NULL
);
