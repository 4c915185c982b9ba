-- Plain enough for the sqlite3 command of any distribution: an operator must be able to look inside and
-- to recover a damaged file.

-- Marks the file as one of ours ("RFND"), so that no other program's database is migrated by mistake.
PRAGMA application_id = 1380339268;

-- The number is the id's five digits. Having a customer twice, in the table's tree by number and in an
-- index by id, tells "there is no such customer" from "this page is damaged".
CREATE TABLE customers (
    number        INTEGER PRIMARY KEY CHECK (number BETWEEN 0 AND 99999),
    customer_id   TEXT    NOT NULL UNIQUE CHECK (customer_id = printf('CUST-%05d', number)),
    name          TEXT    NOT NULL CHECK (length(name) BETWEEN 1 AND 200),
    email         TEXT    NOT NULL CHECK (length(email) BETWEEN 3 AND 320),
    -- The address in lower case: one customer an address, however it is written.
    email_key     TEXT    NOT NULL UNIQUE CHECK (length(email_key) BETWEEN 3 AND 960),
    status        TEXT    NOT NULL CHECK (status IN ('active', 'suspended')),
    currency      TEXT    NOT NULL CHECK (length(currency) = 3),
    balance_minor INTEGER NOT NULL CHECK (balance_minor BETWEEN 0 AND 999999999999999),
    -- The balance before the first refund; `check` proves balance = opening + adjustments - refunds
    -- with it. It may be larger than any balance: an import adds up refunds of many years.
    opening_minor INTEGER NOT NULL CHECK (opening_minor >= 0),
    refund_count  INTEGER NOT NULL CHECK (refund_count >= 0),
    created_at_ms INTEGER NOT NULL,
    external_id   TEXT    UNIQUE CHECK (length(external_id) BETWEEN 1 AND 64),
    phone_number  TEXT    CHECK (length(phone_number) BETWEEN 1 AND 40),
    company       TEXT    CHECK (length(company) BETWEEN 1 AND 200),
    language      TEXT    CHECK (length(language) BETWEEN 2 AND 35)
) STRICT;

CREATE TABLE refunds (
    seq             INTEGER PRIMARY KEY,
    refund_id       TEXT    NOT NULL UNIQUE CHECK (length(refund_id) = 36),
    customer_id     TEXT    NOT NULL REFERENCES customers (customer_id),
    amount_minor    INTEGER NOT NULL CHECK (amount_minor BETWEEN 1 AND 999999999999999),
    currency        TEXT    NOT NULL CHECK (length(currency) = 3),
    -- In bytes: length() counts characters only up to a zero character, which a reason may hold.
    reason          TEXT    NOT NULL CHECK (length(CAST(reason AS BLOB)) BETWEEN 10 AND 2000),
    status          TEXT    NOT NULL CHECK (status IN ('processed')),
    processed_at_ms INTEGER NOT NULL,
    remaining_minor INTEGER NOT NULL CHECK (remaining_minor BETWEEN 0 AND 999999999999999),
    principal       TEXT    NOT NULL CHECK (length(principal) BETWEEN 1 AND 64),
    idempotency_key TEXT    CHECK (length(idempotency_key) BETWEEN 1 AND 255),
    -- The audit row of the import that brought it; NULL for a refund that was made here.
    import_seq      INTEGER REFERENCES audit (seq)
) STRICT;

-- A row's place in the sequence is part of every index, so this one serves "newest first".
CREATE INDEX refunds_by_customer ON refunds (customer_id);

-- The last line of defence against paying twice: even with idempotency_keys damaged, no second refund
-- of one key can be saved.
CREATE UNIQUE INDEX refunds_by_key ON refunds (principal, idempotency_key)
    WHERE idempotency_key IS NOT NULL;

CREATE TRIGGER refunds_are_not_deleted BEFORE DELETE ON refunds
BEGIN
    SELECT RAISE (ABORT, 'refunds are never deleted');
END;

CREATE TRIGGER refunds_are_not_edited BEFORE UPDATE ON refunds
WHEN new.seq IS NOT old.seq
    OR new.refund_id IS NOT old.refund_id
    OR new.customer_id IS NOT old.customer_id
    OR new.amount_minor IS NOT old.amount_minor
    OR new.currency IS NOT old.currency
    OR new.reason IS NOT old.reason
    OR new.processed_at_ms IS NOT old.processed_at_ms
    OR new.remaining_minor IS NOT old.remaining_minor
    OR new.principal IS NOT old.principal
    OR new.idempotency_key IS NOT old.idempotency_key
    OR new.import_seq IS NOT old.import_seq
BEGIN
    SELECT RAISE (ABORT, 'a refund changes in nothing but its status');
END;

-- INSERT OR REPLACE deletes without asking the triggers above.
CREATE TRIGGER refunds_are_not_replaced BEFORE INSERT ON refunds
WHEN EXISTS (SELECT 1 FROM refunds WHERE seq = new.seq)
    OR EXISTS (SELECT 1 FROM refunds WHERE refund_id = new.refund_id)
BEGIN
    SELECT RAISE (ABORT, 'refunds are never replaced');
END;

-- A key belongs to one principal and one tool. The same transaction writes the key and its refund.
CREATE TABLE idempotency_keys (
    principal     TEXT    NOT NULL CHECK (length(principal) BETWEEN 1 AND 64),
    key           TEXT    NOT NULL CHECK (length(key) BETWEEN 1 AND 255),
    tool          TEXT    NOT NULL CHECK (length(tool) BETWEEN 1 AND 64),
    refund_id     TEXT    REFERENCES refunds (refund_id),
    created_at_ms INTEGER NOT NULL,
    PRIMARY KEY (principal, key)
) STRICT, WITHOUT ROWID;

-- Balances corrected by hand, each with its audit row.
CREATE TABLE adjustments (
    seq           INTEGER PRIMARY KEY,
    customer_id   TEXT    NOT NULL REFERENCES customers (customer_id),
    by_minor      INTEGER NOT NULL CHECK (by_minor <> 0 AND by_minor BETWEEN -999999999999999 AND 999999999999999),
    currency      TEXT    NOT NULL CHECK (length(currency) = 3),
    balance_minor INTEGER NOT NULL CHECK (balance_minor BETWEEN 0 AND 999999999999999),
    -- In bytes, as for a refund's.
    reason        TEXT    NOT NULL CHECK (length(CAST(reason AS BLOB)) BETWEEN 10 AND 2000),
    at_ms         INTEGER NOT NULL,
    principal     TEXT    NOT NULL CHECK (length(principal) BETWEEN 1 AND 64),
    audit_seq     INTEGER NOT NULL UNIQUE REFERENCES audit (seq)
) STRICT;

CREATE INDEX adjustments_by_customer ON adjustments (customer_id);

CREATE TRIGGER adjustments_are_not_edited BEFORE UPDATE ON adjustments
BEGIN
    SELECT RAISE (ABORT, 'adjustments are never edited');
END;

CREATE TRIGGER adjustments_are_not_deleted BEFORE DELETE ON adjustments
BEGIN
    SELECT RAISE (ABORT, 'adjustments are never deleted');
END;

CREATE TRIGGER adjustments_are_not_replaced BEFORE INSERT ON adjustments
WHEN EXISTS (SELECT 1 FROM adjustments WHERE seq = new.seq)
    OR EXISTS (SELECT 1 FROM adjustments WHERE audit_seq = new.audit_seq)
BEGIN
    SELECT RAISE (ABORT, 'adjustments are never replaced');
END;

-- One row a call; arguments and trace are JSON. The two hashes are for the chain of rows and stay empty until it exists.
CREATE TABLE audit (
    seq           INTEGER PRIMARY KEY,
    at_ms         INTEGER NOT NULL,
    principal     TEXT    NOT NULL CHECK (length(principal) BETWEEN 1 AND 64),
    role          TEXT    NOT NULL CHECK (length(role) BETWEEN 1 AND 64),
    tool          TEXT    NOT NULL CHECK (length(tool) BETWEEN 1 AND 64),
    arguments     TEXT    NOT NULL CHECK (length(arguments) >= 2),
    outcome       TEXT    NOT NULL CHECK (length(outcome) BETWEEN 1 AND 64),
    trace         TEXT    NOT NULL CHECK (length(trace) >= 2),
    refund_id     TEXT    REFERENCES refunds (refund_id),
    previous_hash BLOB    CHECK (length(previous_hash) = 32),
    hash          BLOB    CHECK (length(hash) = 32)
) STRICT;

CREATE TRIGGER audit_is_not_edited BEFORE UPDATE ON audit
BEGIN
    SELECT RAISE (ABORT, 'audit rows are never edited');
END;

CREATE TRIGGER audit_is_not_deleted BEFORE DELETE ON audit
BEGIN
    SELECT RAISE (ABORT, 'audit rows are never deleted');
END;

CREATE TRIGGER audit_is_not_replaced BEFORE INSERT ON audit
WHEN EXISTS (SELECT 1 FROM audit WHERE seq = new.seq)
BEGIN
    SELECT RAISE (ABORT, 'audit rows are never replaced');
END;
