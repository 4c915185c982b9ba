//! The SQL of tables `product_texts` and `product_keys`: the texts by which products are found.

use deadpool_postgres::ClientWrapper;
use refund_domain::warranty::{DeviceProduct, ModelName, ProductField, TextProbe};
use refund_domain::{ProductName, Sku};

use super::error::{SqlError, untrue};
use super::flight::{Flight, at_once, params};
use crate::rows::{Cause, Columns, field_word};

/// At most `limit` products whose field the probe finds.
pub(crate) async fn like(
    client: &ClientWrapper,
    field: ProductField,
    probe: TextProbe,
    limit: u32,
) -> Result<Vec<DeviceProduct>, SqlError> {
    let sql = "SELECT p.sku, p.name, p.model FROM products p WHERE p.sku IN (
             SELECT n.sku FROM (
                 SELECT k.sku FROM unnest($2::text[]) q (key) CROSS JOIN LATERAL
                     (SELECT sku FROM product_keys WHERE field = $1 AND key = q.key LIMIT $5) k
                 UNION
                 (SELECT sku FROM product_texts
                  WHERE field = $1 AND squashed >= $3 AND squashed < $4 LIMIT $5)) n
             LIMIT $5)";
    let keys: Vec<String> = probe.keys().iter().cloned().collect();
    let (from, below) = probe.squash_range();
    let params = params![
        field_word(field),
        keys,
        from.to_owned(),
        below.to_owned(),
        i64::from(limit),
    ];
    let [rows] = at_once(client, [Flight::new(client, sql, params).await?]).await?;
    let products = rows.iter().map(|row| {
        product(row).map_err(|cause| {
            let sku = row.try_get::<_, &str>(0).unwrap_or("without a number");
            untrue("products", sku, cause)
        })
    });
    products.collect()
}

fn product(row: &impl Columns) -> Result<DeviceProduct, Cause> {
    Ok(DeviceProduct {
        sku: Sku::new(row.text(0)?)?,
        name: ProductName::new(row.text(1)?)?,
        model: row.optional(2, ModelName::new)?,
    })
}
