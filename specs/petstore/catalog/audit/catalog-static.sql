-- No category, product or item differs from the data set.
SELECT 'category' AS what, category_id AS id, name FROM categories
WHERE name IS DISTINCT FROM split_part('Birds,Cats,Dogs,Fish,Frogs,Hamsters,Horses,Lizards,Rabbits,Turtles', ',', (substr(category_id, 3)::bigint + 1)::integer)
UNION ALL
SELECT 'product', product_id, name FROM products
WHERE category_id <> 'c:' || substr(product_id, 3)::bigint % 10
   OR name <> split_part('Gentle,Lively,Spotted,Golden,Silver,Striped,Curious,Sleepy,Brave,Tiny', ',', (substr(product_id, 3)::bigint / 10 % 10 + 1)::integer)
      || ' ' || split_part('Parrot,Kitten,Spaniel,Carp,Toad,Hamster,Pony,Gecko,Rabbit,Tortoise', ',', (substr(product_id, 3)::bigint % 10 + 1)::integer)
      || ' ' || substr(product_id, 3)::bigint / 100
UNION ALL
SELECT 'item', item_id, name FROM items
WHERE price <> (500 + (substr(product_id, 3)::bigint * 50 + split_part(item_id, '-', 2)::bigint) * 7919 % 9501)::numeric / 100
   OR split_part(item_id, '-', 1) <> 'i:' || substr(product_id, 3)
