-- The statements of a refund on PostgreSQL, for pgbench: look the key up, read and lock the customer,
-- reduce the balance, insert refund, key and audit row, and commit.
\set number random(0, :customers - 1)
\set key random(1, 9000000000000000000)
BEGIN;
SELECT refund_id FROM idempotency_keys WHERE principal = 'pgbench' AND key = (:key)::bigint::text;
SELECT customer_id, balance_minor, name, email, status, currency, created_at_ms FROM customers
    WHERE customer_id = 'CUST-' || lpad((:number)::bigint::text, 5, '0') FOR UPDATE \gset
UPDATE customers SET balance_minor = balance_minor - 1, refund_count = refund_count + 1
    WHERE customer_id = (:customer_id)::text AND balance_minor = (:balance_minor)::bigint;
INSERT INTO refunds (refund_id, customer_id, amount_minor, currency, reason, status, processed_at_ms,
        remaining_minor, principal, idempotency_key)
    VALUES (gen_random_uuid(), (:customer_id)::text, 1, 'USD', 'damaged in transit', 'processed',
        1767225600000, (:balance_minor)::bigint - 1, 'pgbench', (:key)::bigint::text)
    RETURNING refund_id \gset
INSERT INTO idempotency_keys (principal, key, tool, refund_id, created_at_ms)
    VALUES ('pgbench', (:key)::bigint::text, 'trigger_refund', (:refund_id)::uuid, 1767225600000);
INSERT INTO audit (at_ms, principal, role, tool, arguments, outcome, trace, refund_id)
    VALUES (1767225600000, 'pgbench', 'agent', 'trigger_refund',
        format('{"customer_id":"%s","amount":0.01,"reason_characters":18,"idempotency_key":"%s"}',
            (:customer_id)::text, (:key)::bigint::text),
        'processed', '["customer.active","currency.exact","balance.sufficient"]', (:refund_id)::uuid);
COMMIT;
