-- Every text of a profile is within its limit, without control characters and blanks around it, and there unless it may be empty.
SELECT user_id, password, full_name, address, email, credit_card
FROM profiles
WHERE char_length(user_id) NOT BETWEEN 1 AND 50
   OR char_length(password) NOT BETWEEN 1 AND 50
   OR char_length(full_name) NOT BETWEEN 1 AND 100
   OR char_length(address) > 200
   OR char_length(email) > 100
   OR char_length(credit_card) > 40
   OR concat(user_id, password, full_name, address, email, credit_card) ~ U&'[\0001-\001F\007F-\009F]'
   OR btrim(user_id) <> user_id
   OR btrim(password) <> password
   OR btrim(full_name) <> full_name
   OR btrim(address) <> address
   OR btrim(email) <> email
   OR btrim(credit_card) <> credit_card
