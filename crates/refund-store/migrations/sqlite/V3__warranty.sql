-- Addresses, units, warranties, open returns, and the keys by which units, products and customers are
-- found. The functions named refund_… are the program's own (`sqlite/functions.rs`): a key is made in
-- one place, whoever asks for it. Nothing that stays in the schema names them, so that the sqlite3
-- command of any distribution reads the file.

-- What a search by name begins with, and the digits of the telephone number from the last to the first.
ALTER TABLE customers ADD COLUMN name_squashed TEXT NOT NULL DEFAULT '';
ALTER TABLE customers ADD COLUMN phone_key TEXT CHECK (length(phone_key) >= 1);

-- The second spelling of a domain (xn--…) is the same domain. Where two customers had one address in
-- two spellings, the later one keeps the key that it has, and `check` says so.
UPDATE OR IGNORE customers SET email_key = refund_email_key(email)
WHERE email_key <> refund_email_key(email);

UPDATE customers SET name_squashed = refund_squash(name), phone_key = refund_phone_key(phone_number);

CREATE INDEX customers_by_name ON customers (name_squashed);
CREATE INDEX customers_by_phone ON customers (phone_key) WHERE phone_key IS NOT NULL;

-- The words of a customer's name, and each longer word with a letter less.
CREATE TABLE customer_keys (
    key    TEXT    NOT NULL CHECK (length(key) >= 1),
    number INTEGER NOT NULL REFERENCES customers (number),
    PRIMARY KEY (key, number)
) STRICT, WITHOUT ROWID;

INSERT INTO customer_keys (key, number)
SELECT k.value, c.number FROM customers c, json_each(refund_search_keys(c.name)) k;

-- The texts of a product that are searched, squashed, and their words as those of a name. A product
-- without a model is found by its name.
CREATE TABLE product_texts (
    field    TEXT NOT NULL CHECK (field IN ('sku', 'model', 'name')),
    sku      TEXT NOT NULL REFERENCES products (sku),
    squashed TEXT NOT NULL,
    PRIMARY KEY (field, sku)
) STRICT, WITHOUT ROWID;

CREATE INDEX product_texts_by_squashed ON product_texts (field, squashed);

CREATE TABLE product_keys (
    field TEXT NOT NULL CHECK (field IN ('sku', 'model', 'name')),
    key   TEXT NOT NULL CHECK (length(key) >= 1),
    sku   TEXT NOT NULL REFERENCES products (sku),
    PRIMARY KEY (field, key, sku)
) STRICT, WITHOUT ROWID;

INSERT INTO product_texts (field, sku, squashed)
SELECT 'sku', sku, refund_squash(sku) FROM products
UNION ALL SELECT 'model', sku, refund_squash(coalesce(model, name)) FROM products
UNION ALL SELECT 'name', sku, refund_squash(name) FROM products;

INSERT INTO product_keys (field, key, sku)
SELECT 'sku', k.value, p.sku FROM products p, json_each(refund_search_keys(p.sku)) k
UNION ALL SELECT 'model', k.value, p.sku
    FROM products p, json_each(refund_search_keys(coalesce(p.model, p.name))) k
UNION ALL SELECT 'name', k.value, p.sku FROM products p, json_each(refund_search_keys(p.name)) k;

-- In the order in which they were added. A customer has an address once, and one default at most.
CREATE TABLE addresses (
    seq               INTEGER PRIMARY KEY,
    customer_id       TEXT    NOT NULL REFERENCES customers (customer_id),
    label             TEXT    CHECK (length(label) BETWEEN 1 AND 200),
    line1             TEXT    NOT NULL CHECK (length(line1) BETWEEN 1 AND 200),
    line2             TEXT    CHECK (length(line2) BETWEEN 1 AND 200),
    line3             TEXT    CHECK (length(line3) BETWEEN 1 AND 200),
    city              TEXT    NOT NULL CHECK (length(city) BETWEEN 1 AND 200),
    state_or_province TEXT    CHECK (length(state_or_province) BETWEEN 1 AND 200),
    postal_code       TEXT    NOT NULL CHECK (length(postal_code) BETWEEN 1 AND 20),
    country_code      TEXT    NOT NULL CHECK (country_code GLOB '[A-Z][A-Z]'),
    is_default        INTEGER NOT NULL CHECK (is_default IN (0, 1))
) STRICT;

CREATE INDEX addresses_by_customer ON addresses (customer_id);
CREATE UNIQUE INDEX addresses_once ON addresses (customer_id, line1, coalesce(line2, ''),
    coalesce(line3, ''), city, coalesce(state_or_province, ''), postal_code, country_code);
CREATE UNIQUE INDEX addresses_default ON addresses (customer_id) WHERE is_default = 1;

-- A unit is named by its serial number, to the letter.
CREATE TABLE devices (
    serial_number     TEXT NOT NULL PRIMARY KEY CHECK (length(serial_number) BETWEEN 1 AND 64),
    sku               TEXT NOT NULL REFERENCES products (sku),
    customer_id       TEXT REFERENCES customers (customer_id),
    mac_address       TEXT CHECK (length(mac_address) BETWEEN 12 AND 64),
    imei              TEXT CHECK (length(imei) BETWEEN 14 AND 64),
    asset_tag         TEXT CHECK (length(asset_tag) BETWEEN 1 AND 64),
    shipped_on        TEXT CHECK (shipped_on GLOB '[0-9][0-9][0-9][0-9]-[0-1][0-9]-[0-3][0-9]'),
    hardware_revision TEXT CHECK (length(hardware_revision) BETWEEN 1 AND 64),
    firmware_version  TEXT CHECK (length(firmware_version) BETWEEN 1 AND 64)
) STRICT, WITHOUT ROWID;

CREATE INDEX devices_by_product ON devices (sku);
CREATE INDEX devices_by_customer ON devices (customer_id) WHERE customer_id IS NOT NULL;

-- Whatever names a unit, without what does not matter, and with look-alikes folded. Neither is unique:
-- two units may share a form, and then it identifies neither.
CREATE TABLE device_identifiers (
    serial_number  TEXT NOT NULL REFERENCES devices (serial_number),
    kind           TEXT NOT NULL CHECK (kind IN ('serial', 'mac', 'imei', 'asset_tag')),
    form           TEXT NOT NULL CHECK (length(form) >= 1),
    look_alike_key TEXT NOT NULL CHECK (length(look_alike_key) >= 1),
    PRIMARY KEY (serial_number, kind)
) STRICT, WITHOUT ROWID;

CREATE INDEX device_identifiers_by_form ON device_identifiers (form, serial_number);
CREATE INDEX device_identifiers_by_look_alike
    ON device_identifiers (look_alike_key, serial_number, form);

CREATE TABLE warranties (
    serial_number TEXT    NOT NULL REFERENCES devices (serial_number),
    plan_name     TEXT    NOT NULL CHECK (length(plan_name) BETWEEN 1 AND 200),
    tier          TEXT    NOT NULL CHECK (length(tier) BETWEEN 1 AND 64 AND tier NOT GLOB '*[^a-z0-9-]*'),
    start_date    TEXT    NOT NULL CHECK (start_date GLOB '[0-9][0-9][0-9][0-9]-[0-1][0-9]-[0-3][0-9]'),
    end_date      TEXT    NOT NULL CHECK (end_date GLOB '[0-9][0-9][0-9][0-9]-[0-1][0-9]-[0-3][0-9]'),
    active        INTEGER NOT NULL CHECK (active IN (0, 1)),
    PRIMARY KEY (serial_number, start_date, plan_name, tier),
    CHECK (start_date <= end_date)
) STRICT, WITHOUT ROWID;

-- Returns of units that have not ended, in the words of the system that manages them.
CREATE TABLE open_returns (
    rma_number    TEXT    NOT NULL PRIMARY KEY CHECK (length(rma_number) BETWEEN 1 AND 64),
    serial_number TEXT    NOT NULL REFERENCES devices (serial_number),
    status        TEXT    NOT NULL CHECK (length(status) BETWEEN 1 AND 64),
    created_at_ms INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE INDEX open_returns_by_device ON open_returns (serial_number, created_at_ms);
