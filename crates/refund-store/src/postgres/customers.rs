//! The SQL of table `customers`.

use std::collections::HashMap;

use deadpool_postgres::ClientWrapper;
use refund_domain::{Customer, CustomerId, EmailAddress, ExternalId, Money};
use tokio_postgres::Row;

use super::error::{SqlError, Untrue};
use super::flight::{Flight, params};
use crate::rows::{self, customer_columns};

const TABLE: &str = "customers";

/// Those with these ids, locked against other changes in the order of their ids.
pub(crate) async fn locked(client: &ClientWrapper, ids: Vec<String>) -> Result<Flight, SqlError> {
    if ids.is_empty() {
        return Ok(Flight::none());
    }
    let sql = concat!(
        "SELECT ",
        customer_columns!(),
        " FROM customers c WHERE c.customer_id = ANY ($1) ORDER BY c.customer_id FOR NO KEY UPDATE"
    );
    Flight::new(client, sql, params![ids]).await
}

/// The rows of [`locked`].
pub(crate) fn read_locked(
    rows: &[Row],
) -> Result<HashMap<CustomerId, Result<Customer, Untrue>>, SqlError> {
    rows.iter()
        .map(|row| {
            let text: &str = row.try_get(0)?;
            let id = CustomerId::new(text).map_err(|cause| Untrue::new(TABLE, text, cause))?;
            Ok((id, read(row, 0)))
        })
        .collect()
}

/// The customer with this id.
pub(crate) async fn by_id(
    client: &ClientWrapper,
    id: CustomerId,
) -> Result<Option<Customer>, SqlError> {
    one(with_id(client, id).await?.rows(client).await?)
}

/// To be read with [`one`].
pub(crate) async fn with_id(client: &ClientWrapper, id: CustomerId) -> Result<Flight, SqlError> {
    let sql = concat!(
        "SELECT ",
        customer_columns!(),
        " FROM customers c WHERE c.customer_id = $1"
    );
    Flight::new(client, sql, params![id.to_string()]).await
}

/// The customer with this address, compared without regard to case.
pub(crate) async fn by_email(
    client: &ClientWrapper,
    email: &EmailAddress,
) -> Result<Option<Customer>, SqlError> {
    one(with_email(client, email).await?.rows(client).await?)
}

/// To be read with [`one`].
pub(crate) async fn with_email(
    client: &ClientWrapper,
    email: &EmailAddress,
) -> Result<Flight, SqlError> {
    let sql = concat!(
        "SELECT ",
        customer_columns!(),
        " FROM customers c WHERE c.email_key = $1"
    );
    Flight::new(client, sql, params![email.key()]).await
}

/// The customer with this number in another system, to the letter; to be read with [`one`].
pub(crate) async fn with_external_id(
    client: &ClientWrapper,
    id: &ExternalId,
) -> Result<Flight, SqlError> {
    let sql = concat!(
        "SELECT ",
        customer_columns!(),
        " FROM customers c WHERE c.external_id = $1"
    );
    Flight::new(client, sql, params![id.as_str().to_owned()]).await
}

/// The only row, if there is one.
pub(crate) fn one(rows: Vec<Row>) -> Result<Option<Customer>, SqlError> {
    Ok(rows.first().map(|row| read(row, 0)).transpose()?)
}

/// At most `limit` customers after an id, or from the first.
pub(crate) async fn page(
    client: &ClientWrapper,
    limit: u32,
    after: Option<CustomerId>,
) -> Result<Vec<Customer>, SqlError> {
    let sql = concat!(
        "SELECT ",
        customer_columns!(),
        " FROM customers c WHERE c.customer_id > $1 ORDER BY c.customer_id LIMIT $2"
    );
    let after = after.map_or_else(String::new, |id| id.to_string());
    let page = Flight::new(client, sql, params![after, i64::from(limit)]).await?;
    let rows = page.rows(client).await?;
    rows.iter().map(|row| Ok(read(row, 0)?)).collect()
}

/// The customer whose columns begin at `base`.
pub(crate) fn read(row: &Row, base: usize) -> Result<Customer, Untrue> {
    rows::customer(row, base).map_err(|cause| {
        let id = row.try_get::<_, &str>(base).unwrap_or("without an id");
        Untrue::new(TABLE, id, cause)
    })
}

/// What a batch makes of one customer's balance.
#[derive(Debug, Clone, Copy)]
pub(crate) struct BalanceChange {
    pub(crate) before: Money,
    pub(crate) after: Money,
    pub(crate) refunds: i64,
}

/// Sets balances to what a batch leaves of them. The condition repeats what the decisions read, so
/// that a wrong one changes no row.
pub(crate) async fn change_balances(
    client: &ClientWrapper,
    changes: &HashMap<CustomerId, BalanceChange>,
) -> Result<Flight, SqlError> {
    if changes.is_empty() {
        return Ok(Flight::none());
    }
    let sql = "UPDATE customers c
         SET balance_minor = w.after, refund_count = c.refund_count + w.refunds
         FROM unnest($1::text[], $2::int8[], $3::int8[], $4::int8[], $5::text[])
             AS w (id, before, after, refunds, currency)
         WHERE c.customer_id = w.id AND c.balance_minor = w.before AND c.currency = w.currency
             AND w.after >= 0 AND (w.refunds = 0 OR c.status = 'active')";
    let ids: Vec<String> = changes.keys().map(ToString::to_string).collect();
    let of = |value: fn(&BalanceChange) -> i64| changes.values().map(value).collect::<Vec<i64>>();
    let currencies: Vec<&'static str> = changes
        .values()
        .map(|change| change.after.currency().code())
        .collect();
    let params = params![
        ids,
        of(|change| change.before.minor()),
        of(|change| change.after.minor()),
        of(|change| change.refunds),
        currencies,
    ];
    Flight::new(client, sql, params).await
}
