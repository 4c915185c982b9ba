//! The invariants of addresses, units, warranties and open returns, and of the keys by which units,
//! products and customers are found.

use rusqlite::Row;

use super::check_rows::{Look, rows};
use super::error::SqlError;
use super::{addresses, devices, open_returns, warranties};

/// Queries that give one sentence for each violation, without a customer's data. A unit is named by its
/// serial number: nothing else says which one it is.
pub(crate) const INVARIANTS: [&str; 16] = [
    "SELECT 'an address of customer ' || a.customer_id || ': there is no such customer'
     FROM addresses a LEFT JOIN customers c ON c.customer_id = a.customer_id
     WHERE c.customer_id IS NULL",
    "SELECT 'device ' || d.serial_number || ': there is no product ' || d.sku
     FROM devices d LEFT JOIN products p ON p.sku = d.sku WHERE p.sku IS NULL",
    "SELECT 'device ' || d.serial_number || ': there is no customer ' || d.customer_id
     FROM devices d LEFT JOIN customers c ON c.customer_id = d.customer_id
     WHERE d.customer_id IS NOT NULL AND c.customer_id IS NULL",
    "SELECT 'a warranty of device ' || w.serial_number || ': there is no such device'
     FROM warranties w LEFT JOIN devices d ON d.serial_number = w.serial_number
     WHERE d.serial_number IS NULL",
    "SELECT 'open return ' || r.rma_number || ': there is no device ' || r.serial_number
     FROM open_returns r LEFT JOIN devices d ON d.serial_number = r.serial_number
     WHERE d.serial_number IS NULL",
    "SELECT 'an identifier of device ' || i.serial_number || ': there is no such device'
     FROM device_identifiers i LEFT JOIN devices d ON d.serial_number = i.serial_number
     WHERE d.serial_number IS NULL",
    "SELECT 'device ' || d.serial_number || ': its identifiers are not indexed as they are written'
     FROM devices d
     WHERE (SELECT count(*) FROM device_identifiers i WHERE i.serial_number = d.serial_number)
             <> 1 + (d.mac_address IS NOT NULL) + (d.imei IS NOT NULL) + (d.asset_tag IS NOT NULL)
         OR EXISTS (SELECT 1 FROM device_identifiers i WHERE i.serial_number = d.serial_number
             AND (i.form IS NOT refund_normal_form(CASE i.kind WHEN 'serial' THEN d.serial_number
                     WHEN 'mac' THEN d.mac_address WHEN 'imei' THEN d.imei ELSE d.asset_tag END)
                 OR i.look_alike_key IS NOT refund_look_alike_key(i.form)))",
    "SELECT 'customer ' || customer_id || ': the keys of its name and telephone number are not theirs'
     FROM customers
     WHERE name_squashed <> refund_squash(name) OR phone_key IS NOT refund_phone_key(phone_number)",
    "SELECT 'customer ' || c.customer_id || ': it is not found by a word of its name'
     FROM customers c
     WHERE EXISTS (SELECT 1 FROM json_each(refund_search_keys(c.name)) k WHERE NOT EXISTS
         (SELECT 1 FROM customer_keys x WHERE x.key = k.value AND x.number = c.number))",
    // Only where there are more keys than there should be is each of them looked at.
    "SELECT 'customer ' || c.customer_id || ': it is found by a word that its name has not'
     FROM customer_keys x CROSS JOIN customers c ON c.number = x.number
     WHERE (SELECT count(*) FROM customer_keys)
             > (SELECT sum(json_array_length(refund_search_keys(name))) FROM customers)
         AND x.key NOT IN (SELECT value FROM json_each(refund_search_keys(c.name)))",
    "SELECT 'product ' || p.sku || ': its squashed texts are not those of its texts'
     FROM products p
     WHERE NOT EXISTS (SELECT 1 FROM product_texts t WHERE t.field = 'sku' AND t.sku = p.sku
             AND t.squashed = refund_squash(p.sku))
         OR NOT EXISTS (SELECT 1 FROM product_texts t WHERE t.field = 'model' AND t.sku = p.sku
             AND t.squashed = refund_squash(coalesce(p.model, p.name)))
         OR NOT EXISTS (SELECT 1 FROM product_texts t WHERE t.field = 'name' AND t.sku = p.sku
             AND t.squashed = refund_squash(p.name))",
    "SELECT 'product ' || p.sku || ': it is not found by a word of its number' FROM products p
     WHERE EXISTS (SELECT 1 FROM json_each(refund_search_keys(p.sku)) k WHERE NOT EXISTS
         (SELECT 1 FROM product_keys x WHERE x.field = 'sku' AND x.key = k.value AND x.sku = p.sku))",
    "SELECT 'product ' || p.sku || ': it is not found by a word of its model' FROM products p
     WHERE EXISTS (SELECT 1 FROM json_each(refund_search_keys(coalesce(p.model, p.name))) k
         WHERE NOT EXISTS (SELECT 1 FROM product_keys x
             WHERE x.field = 'model' AND x.key = k.value AND x.sku = p.sku))",
    "SELECT 'product ' || p.sku || ': it is not found by a word of its name' FROM products p
     WHERE EXISTS (SELECT 1 FROM json_each(refund_search_keys(p.name)) k WHERE NOT EXISTS
         (SELECT 1 FROM product_keys x WHERE x.field = 'name' AND x.key = k.value AND x.sku = p.sku))",
    "SELECT 'product ' || p.sku || ': it is found by a word that it has not'
     FROM product_keys x CROSS JOIN products p ON p.sku = x.sku
     WHERE (SELECT count(*) FROM product_keys)
             > (SELECT sum(json_array_length(refund_search_keys(sku))
                     + json_array_length(refund_search_keys(coalesce(model, name)))
                     + json_array_length(refund_search_keys(name))) FROM products)
         AND x.key NOT IN (SELECT value FROM json_each(refund_search_keys(CASE x.field
             WHEN 'sku' THEN p.sku WHEN 'model' THEN coalesce(p.model, p.name) ELSE p.name END)))",
    "SELECT 'customer ' || a.customer_id || ': it has ' || count(*) || ' default addresses'
     FROM addresses a INDEXED BY addresses_by_customer WHERE a.is_default = 1
     GROUP BY a.customer_id HAVING count(*) > 1",
];

/// Every row, read as the desk reads it.
pub(crate) const TABLES: [Look; 4] = [
    |conn| rows(conn, addresses::EVERY, addresses::read),
    |conn| {
        rows(conn, devices::EVERY, |row| {
            named(row, "devices", devices::read)
        })
    },
    |conn| {
        rows(conn, warranties::EVERY, |row| {
            named(row, "warranties", warranties::read)
        })
    },
    |conn| rows(conn, open_returns::EVERY, open_returns::read),
];

/// With the serial number, which elsewhere an error does not show.
fn named<T>(
    row: &Row<'_>,
    table: &'static str,
    read: fn(&Row<'_>) -> Result<T, SqlError>,
) -> Result<(), SqlError> {
    match read(row) {
        Ok(_) => Ok(()),
        Err(SqlError::Untrue { cause, .. }) => {
            let serial: String = row.get(0)?;
            Err(SqlError::untrue(table, serial, cause))
        }
        Err(error) => Err(error),
    }
}
