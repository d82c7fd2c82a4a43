-- Every order has the card and the addresses of its user; nobody in the sessions types others.
-- session: orders
SELECT o.order_id, o.user_id
FROM orders AS o
JOIN users AS u USING (user_id)
JOIN billing AS b USING (user_id)
WHERE (o.card_type, o.card_number, o.card_expiration) <> (b.card_type, b.card_number, b.card_expiration)
   OR (o.billing_first_name, o.billing_last_name, o.billing_address_1, o.billing_address_2, o.billing_city, o.billing_state, o.billing_zip,
       o.billing_country, o.billing_phone)
      <> (b.first_name, b.last_name, b.address_1, b.address_2, b.city, b.state, b.zip, b.country, b.phone)
   OR (o.shipping_first_name, o.shipping_last_name, o.shipping_address_1, o.shipping_address_2, o.shipping_city, o.shipping_state,
       o.shipping_zip, o.shipping_country, o.shipping_phone)
      <> (u.first_name, u.last_name, u.address_1, u.address_2, u.city, u.state, u.zip, u.country, u.phone)
