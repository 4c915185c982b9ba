-- A correction of a balance can have an idempotency key, like a refund: who sends it again, because the
-- answer was lost, corrects nothing twice.
ALTER TABLE adjustments ADD COLUMN idempotency_key TEXT CHECK (length(idempotency_key) BETWEEN 1 AND 255);

CREATE UNIQUE INDEX adjustments_by_key ON adjustments (principal, idempotency_key)
    WHERE idempotency_key IS NOT NULL;
