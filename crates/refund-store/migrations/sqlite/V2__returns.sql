-- Products, orders, returns, the messages about returns, and conversations that were handed to a person.

-- A second way to a customer by address: that both ways lead nowhere tells "there is no such customer"
-- from "this page is damaged".
CREATE INDEX customers_by_email ON customers (email_key, customer_id);

CREATE TABLE products (
    sku              TEXT    NOT NULL PRIMARY KEY CHECK (length(sku) BETWEEN 1 AND 64),
    name             TEXT    NOT NULL CHECK (length(name) BETWEEN 1 AND 200),
    model            TEXT    CHECK (length(model) BETWEEN 1 AND 200),
    category         TEXT    CHECK (length(category) BETWEEN 1 AND 200),
    unit_price_minor INTEGER CHECK (unit_price_minor BETWEEN 0 AND 999999999999999),
    currency         TEXT    CHECK (length(currency) = 3),
    CHECK ((unit_price_minor IS NULL) = (currency IS NULL))
) STRICT, WITHOUT ROWID;

-- The currency is the order's own: it need not be the customer's. Ids are measured in bytes, because
-- length() counts characters only up to a zero character, which an id may hold.
CREATE TABLE orders (
    order_id         TEXT    NOT NULL PRIMARY KEY CHECK (length(CAST(order_id AS BLOB)) BETWEEN 1 AND 1280),
    customer_id      TEXT    NOT NULL REFERENCES customers (customer_id),
    sku              TEXT    NOT NULL REFERENCES products (sku),
    quantity         INTEGER NOT NULL CHECK (quantity BETWEEN 1 AND 1000000),
    unit_price_minor INTEGER NOT NULL CHECK (unit_price_minor BETWEEN 0 AND 999999999999999),
    currency         TEXT    NOT NULL CHECK (length(currency) = 3),
    order_date       TEXT    NOT NULL CHECK (order_date GLOB '[0-9][0-9][0-9][0-9]-[0-1][0-9]-[0-3][0-9]'),
    billing_status   TEXT    NOT NULL CHECK (billing_status IN ('paid', 'unpaid')),
    returned         INTEGER NOT NULL CHECK (returned IN (0, 1)),
    CHECK (unit_price_minor <= 999999999999999 / quantity)
) STRICT, WITHOUT ROWID;

-- The second way to an order by id.
CREATE UNIQUE INDEX orders_by_id ON orders (order_id);

-- A customer's orders, the newest first; and the same with the unpaid ones ('unpaid' is after 'paid')
-- before the paid ones.
CREATE INDEX orders_by_customer ON orders (customer_id, order_date DESC, order_id);
CREATE INDEX orders_by_billing ON orders (customer_id, billing_status DESC, order_date DESC, order_id);
CREATE INDEX orders_by_product ON orders (sku);

CREATE TRIGGER orders_stay_returned BEFORE UPDATE OF returned ON orders
WHEN old.returned = 1 AND new.returned = 0
BEGIN
    SELECT RAISE (ABORT, 'a return is never taken back');
END;

-- One return an order, whatever the code believes. A return that was made elsewhere and imported need
-- not have a principal, a key or a message; with a key it has the other two.
CREATE TABLE returns (
    seq             INTEGER PRIMARY KEY,
    return_id       TEXT    NOT NULL UNIQUE CHECK (length(return_id) = 36),
    order_id        TEXT    NOT NULL UNIQUE REFERENCES orders (order_id),
    reason          TEXT    NOT NULL CHECK (length(CAST(reason AS BLOB)) BETWEEN 1 AND 2000),
    processed_at_ms INTEGER NOT NULL,
    principal       TEXT    CHECK (length(principal) BETWEEN 1 AND 64),
    idempotency_key TEXT    CHECK (length(idempotency_key) BETWEEN 1 AND 255),
    -- The audit row of the import that brought it, as for a refund.
    import_seq      INTEGER REFERENCES audit (seq),
    CHECK (principal IS NOT NULL OR idempotency_key IS NULL),
    CHECK (principal IS NOT NULL OR import_seq IS NOT NULL)
) STRICT;

CREATE UNIQUE INDEX returns_by_key ON returns (principal, idempotency_key)
    WHERE idempotency_key IS NOT NULL;

CREATE TRIGGER returns_are_not_deleted BEFORE DELETE ON returns
BEGIN
    SELECT RAISE (ABORT, 'returns are never deleted');
END;

CREATE TRIGGER returns_are_not_edited BEFORE UPDATE ON returns
BEGIN
    SELECT RAISE (ABORT, 'returns are never edited');
END;

-- INSERT OR REPLACE deletes without asking the triggers above.
CREATE TRIGGER returns_are_not_replaced BEFORE INSERT ON returns
WHEN EXISTS (SELECT 1 FROM returns WHERE seq = new.seq)
    OR EXISTS (SELECT 1 FROM returns WHERE return_id = new.return_id)
    OR EXISTS (SELECT 1 FROM returns WHERE order_id = new.order_id)
BEGIN
    SELECT RAISE (ABORT, 'returns are never replaced');
END;

-- The message about each return, saved together with it. It is also what a replay answers with, so rows
-- stay. 'simulated': no mail transport was configured, or the return was imported; it is never sent. 'waiting': to be sent at
-- next_attempt_at_ms or later; whoever sends it moves that time on first, so that nobody else sends it too.
CREATE TABLE outbox (
    seq                INTEGER PRIMARY KEY,
    return_id          TEXT    NOT NULL UNIQUE REFERENCES returns (return_id),
    recipient          TEXT    NOT NULL CHECK (length(recipient) BETWEEN 3 AND 320),
    subject            TEXT    NOT NULL,
    body               TEXT    NOT NULL,
    handed_over_at_ms  INTEGER NOT NULL,
    status             TEXT    NOT NULL CHECK (status IN ('simulated', 'waiting', 'delivered')),
    attempts           INTEGER NOT NULL CHECK (attempts >= 0),
    next_attempt_at_ms INTEGER,
    delivered_at_ms    INTEGER,
    last_failure       TEXT    CHECK (length(last_failure) BETWEEN 1 AND 200),
    CHECK ((status = 'waiting') = (next_attempt_at_ms IS NOT NULL)),
    CHECK ((status = 'delivered') = (delivered_at_ms IS NOT NULL))
) STRICT;

CREATE INDEX outbox_by_next_attempt ON outbox (next_attempt_at_ms) WHERE status = 'waiting';

CREATE TRIGGER outbox_is_not_deleted BEFORE DELETE ON outbox
BEGIN
    SELECT RAISE (ABORT, 'messages are never deleted');
END;

CREATE TRIGGER outbox_changes_in_its_delivery BEFORE UPDATE ON outbox
WHEN old.status <> 'waiting'
    OR new.status = 'simulated'
    OR new.seq IS NOT old.seq
    OR new.return_id IS NOT old.return_id
    OR new.recipient IS NOT old.recipient
    OR new.subject IS NOT old.subject
    OR new.body IS NOT old.body
    OR new.handed_over_at_ms IS NOT old.handed_over_at_ms
    OR new.attempts < old.attempts
BEGIN
    SELECT RAISE (ABORT, 'a message changes in nothing but its delivery');
END;

CREATE TRIGGER outbox_is_not_replaced BEFORE INSERT ON outbox
WHEN EXISTS (SELECT 1 FROM outbox WHERE seq = new.seq)
    OR EXISTS (SELECT 1 FROM outbox WHERE return_id = new.return_id)
BEGIN
    SELECT RAISE (ABORT, 'messages are never replaced');
END;

-- A conversation is its principal's: another principal's of the same name is another one.
CREATE TABLE escalation_sessions (
    principal  TEXT    NOT NULL CHECK (length(principal) BETWEEN 1 AND 64),
    session_id TEXT    NOT NULL CHECK (length(CAST(session_id AS BLOB)) BETWEEN 1 AND 1280),
    turn_count INTEGER NOT NULL CHECK (turn_count BETWEEN 1 AND 10),
    PRIMARY KEY (principal, session_id)
) STRICT, WITHOUT ROWID;

CREATE TRIGGER escalation_sessions_go_on BEFORE UPDATE ON escalation_sessions
WHEN new.turn_count < old.turn_count
    OR new.principal IS NOT old.principal
    OR new.session_id IS NOT old.session_id
BEGIN
    SELECT RAISE (ABORT, 'a conversation only gets longer');
END;

-- The turns that were counted with a key, for replays. What the user wrote is not kept, only its SHA-256.
CREATE TABLE escalation_turns (
    principal       TEXT    NOT NULL CHECK (length(principal) BETWEEN 1 AND 64),
    idempotency_key TEXT    NOT NULL CHECK (length(idempotency_key) BETWEEN 1 AND 255),
    session_id      TEXT    NOT NULL,
    turn_count      INTEGER NOT NULL CHECK (turn_count BETWEEN 1 AND 10),
    message_sha256  BLOB    NOT NULL CHECK (length(message_sha256) = 32),
    counted_at_ms   INTEGER NOT NULL,
    PRIMARY KEY (principal, idempotency_key),
    FOREIGN KEY (principal, session_id) REFERENCES escalation_sessions (principal, session_id)
) STRICT, WITHOUT ROWID;

CREATE UNIQUE INDEX escalation_turns_by_session ON escalation_turns (principal, session_id, turn_count);

CREATE TRIGGER escalation_turns_are_not_deleted BEFORE DELETE ON escalation_turns
BEGIN
    SELECT RAISE (ABORT, 'turns are never deleted');
END;

CREATE TRIGGER escalation_turns_are_not_edited BEFORE UPDATE ON escalation_turns
BEGIN
    SELECT RAISE (ABORT, 'turns are never edited');
END;

ALTER TABLE audit ADD COLUMN return_id TEXT REFERENCES returns (return_id);
