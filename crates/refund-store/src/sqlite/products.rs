//! The SQL of table `products`.

use refund_domain::Product;
use rusqlite::{Connection, params};

use super::error::SqlError;

const TABLE: &str = "products";

/// Adds a product of which no more than this is known, unless it is there.
pub(crate) fn insert_if_new(conn: &Connection, product: &Product) -> Result<(), SqlError> {
    let _inserted = conn
        .prepare_cached(
            "INSERT INTO products (sku, name) VALUES (?1, ?2) ON CONFLICT (sku) DO NOTHING",
        )?
        .execute(params![product.sku.as_str(), product.name.as_str()])?;
    let same = conn
        .prepare_cached("SELECT 1 FROM products WHERE sku = ?1 AND name = ?2")?
        .exists(params![product.sku.as_str(), product.name.as_str()])?;
    if same {
        Ok(())
    } else {
        let cause = "it has another name already";
        Err(SqlError::untrue(TABLE, &product.sku, cause))
    }
}
