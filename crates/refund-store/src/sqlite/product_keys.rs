//! The SQL of tables `product_texts` and `product_keys`: the texts by which products are found.

use std::collections::BTreeSet;

use refund_domain::Sku;
use refund_domain::warranty::{
    DeviceProduct, ModelName, ProductField, TextProbe, search_keys, squash,
};
use rusqlite::{Connection, ToSql, params};

use super::error::SqlError;
use super::products;
use crate::rows::field_word;
use crate::transfer::ProductRecord;

const TABLE: &str = "product_keys";

/// A product as far as it is searched.
pub(crate) fn searched(record: &ProductRecord) -> Result<DeviceProduct, SqlError> {
    let model = record
        .model
        .as_ref()
        .map(|model| ModelName::new(model.as_str()));
    Ok(DeviceProduct {
        sku: record.product.sku.clone(),
        name: record.product.name.clone(),
        model: model
            .transpose()
            .map_err(|cause| SqlError::untrue("products", &record.product.sku, cause))?,
    })
}

/// Indexes the texts of a product that has none indexed.
pub(crate) fn insert(conn: &Connection, record: &ProductRecord) -> Result<(), SqlError> {
    save(
        conn,
        record,
        "INSERT INTO product_texts (field, sku, squashed) VALUES (?1, ?2, ?3)",
        "INSERT INTO product_keys (field, key, sku) VALUES (?1, ?2, ?3)",
    )
}

/// Takes the texts of a product away, as they are before it changes.
pub(crate) fn remove(conn: &Connection, record: &ProductRecord) -> Result<(), SqlError> {
    save(
        conn,
        record,
        "DELETE FROM product_texts WHERE field = ?1 AND sku = ?2 AND squashed = ?3",
        "DELETE FROM product_keys WHERE field = ?1 AND key = ?2 AND sku = ?3",
    )
}

fn save(
    conn: &Connection,
    record: &ProductRecord,
    text_sql: &str,
    key_sql: &str,
) -> Result<(), SqlError> {
    let product = searched(record)?;
    let sku = product.sku.as_str();
    let mut changed = Vec::new();
    for field in ProductField::ALL {
        let (text, word) = (field.of(&product), field_word(field));
        let mut statement = conn.prepare_cached(text_sql)?;
        changed.push(statement.execute(params![word, sku, squash(text)])?);
        let mut statement = conn.prepare_cached(key_sql)?;
        for key in search_keys(text) {
            changed.push(statement.execute(params![word, key, sku])?);
        }
    }
    if changed.iter().all(|rows| *rows == 1) {
        Ok(())
    } else {
        let cause = "its keys are not those that it should have";
        Err(SqlError::untrue(TABLE, sku, cause))
    }
}

/// At most `limit` products whose field the probe finds.
pub(crate) fn like(
    conn: &Connection,
    field: ProductField,
    probe: &TextProbe,
    limit: u32,
) -> Result<Vec<DeviceProduct>, SqlError> {
    let field = field_word(field);
    let mut found = BTreeSet::new();
    let mut add = |sql: &str, values: &[&dyn ToSql]| -> Result<(), SqlError> {
        if found.len() < limit as usize {
            let mut statement = conn.prepare_cached(sql)?;
            let mut rows = statement.query(values)?;
            while let Some(row) = rows.next()? {
                let sku: String = row.get(0)?;
                found.insert(sku);
            }
        }
        Ok(())
    };
    for key in probe.keys() {
        let sql =
            "SELECT sku FROM product_keys WHERE field = ?1 AND key = ?2 ORDER BY sku LIMIT ?3";
        add(sql, &[&field, key, &limit])?;
    }
    let (from, below) = probe.squash_range();
    let sql = "SELECT sku FROM product_texts
         WHERE field = ?1 AND squashed >= ?2 AND squashed < ?3 LIMIT ?4";
    add(sql, &[&field, &from, &below, &limit])?;
    found
        .into_iter()
        .take(limit as usize)
        .map(|sku| product(conn, &sku))
        .collect()
}

fn product(conn: &Connection, sku: &str) -> Result<DeviceProduct, SqlError> {
    let number = Sku::new(sku).map_err(|cause| SqlError::untrue(TABLE, sku, cause))?;
    let record = products::by_sku(conn, &number)?
        .ok_or_else(|| SqlError::untrue(TABLE, sku, "the product is not there"))?;
    searched(&record)
}
