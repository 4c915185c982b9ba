//! The SQL of table `products`.

use std::error::Error;

use refund_domain::{Currency, Money, Product, ProductName, Sku};
use rusqlite::{Connection, Row, params};

use super::error::SqlError;
use super::product_keys;
use crate::transfer::ProductRecord;

const TABLE: &str = "products";

/// Adds a product with all that is known of it.
pub(crate) fn insert(conn: &Connection, record: &ProductRecord) -> Result<(), SqlError> {
    let sql = "INSERT INTO products (sku, name, model, category, unit_price_minor, currency)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6)";
    save(conn, sql, record)?;
    product_keys::insert(conn, record)
}

/// Changes everything but the number.
pub(crate) fn update(conn: &Connection, record: &ProductRecord) -> Result<(), SqlError> {
    let sql = "UPDATE products SET name = ?2, model = ?3, category = ?4, unit_price_minor = ?5,
             currency = ?6 WHERE sku = ?1";
    if let Some(before) = by_sku(conn, &record.product.sku)? {
        product_keys::remove(conn, &before)?;
    }
    save(conn, sql, record)?;
    product_keys::insert(conn, record)
}

fn save(conn: &Connection, sql: &str, record: &ProductRecord) -> Result<(), SqlError> {
    let saved = conn.prepare_cached(sql)?.execute(params![
        record.product.sku.as_str(),
        record.product.name.as_str(),
        record.model.as_ref().map(ProductName::as_str),
        record.category.as_ref().map(ProductName::as_str),
        record.unit_price.map(Money::minor),
        record.unit_price.map(|price| price.currency().code()),
    ])?;
    if saved == 1 {
        Ok(())
    } else {
        Err(SqlError::untrue(
            TABLE,
            &record.product.sku,
            "it was not saved",
        ))
    }
}

const SELECT: &str = "SELECT sku, name, model, category, unit_price_minor, currency FROM products";

/// The product with this number.
pub(crate) fn by_sku(conn: &Connection, sku: &Sku) -> Result<Option<ProductRecord>, SqlError> {
    let mut statement = conn.prepare_cached(&format!("{SELECT} WHERE sku = ?1"))?;
    let mut rows = statement.query([sku.as_str()])?;
    rows.next()?.map(read).transpose()
}

/// Every product, in the order of their numbers.
pub(crate) const EVERY: &str =
    "SELECT sku, name, model, category, unit_price_minor, currency FROM products ORDER BY sku";

/// Every product, in the order of their numbers, one at a time.
pub(crate) fn each<E: From<SqlError>>(
    conn: &Connection,
    mut take: impl FnMut(ProductRecord) -> Result<(), E>,
) -> Result<(), E> {
    let mut statement = conn.prepare(EVERY).map_err(SqlError::from)?;
    let mut rows = statement.query([]).map_err(SqlError::from)?;
    while let Some(row) = rows.next().map_err(SqlError::from)? {
        take(read(row)?)?;
    }
    Ok(())
}

pub(crate) fn read(row: &Row<'_>) -> Result<ProductRecord, SqlError> {
    let sku: String = row.get(0)?;
    from_row(row, &sku).map_err(|cause| SqlError::untrue(TABLE, sku, cause))
}

fn from_row(row: &Row<'_>, sku: &str) -> Result<ProductRecord, Box<dyn Error + Send + Sync>> {
    let optional = |column: usize| -> Result<Option<ProductName>, Box<dyn Error + Send + Sync>> {
        let text = row.get_ref(column)?.as_str_or_null()?;
        Ok(text.map(ProductName::new).transpose()?)
    };
    let unit_price = match row.get_ref(5)?.as_str_or_null()? {
        Some(code) => Some(Money::from_minor(row.get(4)?, Currency::new(code)?)?),
        None => None,
    };
    Ok(ProductRecord {
        product: Product {
            sku: Sku::new(sku)?,
            name: ProductName::new(row.get_ref(1)?.as_str()?)?,
        },
        model: optional(2)?,
        category: optional(3)?,
        unit_price,
    })
}
