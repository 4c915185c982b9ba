//! The SQL of table `customer_keys`, and of the other ways to find customers.

use deadpool_postgres::ClientWrapper;
use refund_domain::Customer;
use refund_domain::warranty::{PhoneProbe, TextProbe};

use super::customers;
use super::error::SqlError;
use super::flight::{Flight, at_once, params};
use crate::rows::customer_columns;

/// The customers whose ids a query gives.
macro_rules! with_ids {
    ($ids:literal) => {
        concat!(
            "SELECT ",
            customer_columns!(),
            " FROM customers c WHERE c.customer_id IN (",
            $ids,
            ")"
        )
    };
}

/// At most `limit` customers whose name the probe finds.
pub(crate) async fn named(
    client: &ClientWrapper,
    probe: TextProbe,
    limit: u32,
) -> Result<Vec<Customer>, SqlError> {
    let sql = with_ids!(
        "SELECT n.customer_id FROM (
             SELECT k.customer_id FROM unnest($1::text[]) q (key) CROSS JOIN LATERAL
                 (SELECT customer_id FROM customer_keys WHERE key = q.key LIMIT $4) k
             UNION
             (SELECT customer_id FROM customers
              WHERE name_squashed >= $2 AND name_squashed < $3 LIMIT $4)) n
         LIMIT $4"
    );
    let keys: Vec<String> = probe.keys().iter().cloned().collect();
    let (from, below) = probe.squash_range();
    let params = params![keys, from.to_owned(), below.to_owned(), i64::from(limit)];
    all(client, Flight::new(client, sql, params).await?).await
}

/// At most `limit` customers whose telephone number the probe finds.
pub(crate) async fn with_phone(
    client: &ClientWrapper,
    probe: PhoneProbe,
    limit: u32,
) -> Result<Vec<Customer>, SqlError> {
    let sql = with_ids!(
        "SELECT n.customer_id FROM (
             SELECT s.customer_id FROM unnest($1::text[]) q (key) CROSS JOIN LATERAL
                 (SELECT customer_id FROM customers WHERE phone_key = q.key LIMIT $4) s
             UNION
             (SELECT customer_id FROM customers
              WHERE phone_key >= $2 AND phone_key < $3 LIMIT $4)) n
         LIMIT $4"
    );
    let shorter = probe.shorter().iter();
    let shorter: Vec<String> = shorter.map(|key| key.as_str().to_owned()).collect();
    let (from, below) = probe.key_range();
    let params = params![shorter, from.to_owned(), below.to_owned(), i64::from(limit)];
    all(client, Flight::new(client, sql, params).await?).await
}

/// The only customer that a statement gives, if there is one.
pub(crate) async fn one(
    client: &ClientWrapper,
    customer: Flight,
) -> Result<Option<Customer>, SqlError> {
    Ok(all(client, customer).await?.pop())
}

async fn all(client: &ClientWrapper, customers: Flight) -> Result<Vec<Customer>, SqlError> {
    let [rows] = at_once(client, [customers]).await?;
    let customers = rows.iter().map(|row| Ok(customers::read(row, 0)?));
    customers.collect()
}
