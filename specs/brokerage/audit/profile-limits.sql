-- Every text of a profile is within its limit, without control characters and white space around it, and there unless it may be empty.
SELECT user_id, password, full_name, address, email, credit_card
FROM profiles,
     -- Unicode's White_Space; what else of it there is are control characters
     (SELECT U&' \00A0\1680\2000\2001\2002\2003\2004\2005\2006\2007\2008\2009\200A\2028\2029\202F\205F\3000' AS blank) AS white
WHERE char_length(user_id) NOT BETWEEN 1 AND 50
   OR char_length(password) NOT BETWEEN 1 AND 50
   OR char_length(full_name) NOT BETWEEN 1 AND 100
   OR char_length(address) > 200
   OR char_length(email) > 100
   OR char_length(credit_card) > 40
   OR concat(user_id, password, full_name, address, email, credit_card) ~ U&'[\0001-\001F\007F-\009F\FFFE\FFFF]'
   OR btrim(user_id, blank) <> user_id
   OR btrim(password, blank) <> password
   OR btrim(full_name, blank) <> full_name
   OR btrim(address, blank) <> address
   OR btrim(email, blank) <> email
   OR btrim(credit_card, blank) <> credit_card
