-- An address is the same whether a letter and its accent are one character or two. Where two customers
-- had one address in two spellings, the later one keeps the key that it has, and `check` says so.
UPDATE OR IGNORE customers SET email_key = refund_email_key(email)
WHERE email_key <> refund_email_key(email);
