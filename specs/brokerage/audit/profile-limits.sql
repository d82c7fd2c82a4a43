-- Every text of a profile is within its limit, without control characters and white space around it, and there unless it may be empty.
SELECT user_id, password, full_name, address, email, credit_card
FROM profiles
WHERE char_length(user_id) NOT BETWEEN 1 AND 50
   OR char_length(password) NOT BETWEEN 1 AND 50
   OR char_length(full_name) NOT BETWEEN 1 AND 100
   OR char_length(address) > 200
   OR char_length(email) > 100
   OR char_length(credit_card) > 40
   OR ARRAY[user_id, password, full_name, address, email, credit_card]::text ~ U&'[\0001-\001F\007F-\009F]'
   -- Unicode's White_Space; what else of it there is are control characters
   OR EXISTS (SELECT FROM unnest(ARRAY[user_id, password, full_name, address, email, credit_card]) AS text
              WHERE text ~ U&'^[ \00A0\1680\2000-\200A\2028\2029\202F\205F\3000]|[ \00A0\1680\2000-\200A\2028\2029\202F\205F\3000]$')
