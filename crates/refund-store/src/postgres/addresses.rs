//! The SQL of table `addresses`.

use deadpool_postgres::ClientWrapper;
use refund_domain::CustomerId;
use refund_domain::warranty::Address;

use super::customers;
use super::error::{SqlError, untrue};
use super::flight::{Flight, at_once, params};
use crate::rows::{self, address_columns};

const TABLE: &str = "addresses";

/// The addresses of a customer in the order in which they were added; `None` where there is no such
/// customer.
pub(crate) async fn of(
    client: &ClientWrapper,
    id: CustomerId,
) -> Result<Option<Vec<Address>>, SqlError> {
    let sql = concat!(
        "SELECT ",
        address_columns!(),
        " FROM addresses WHERE customer_id = $1 ORDER BY seq"
    );
    let flights = [
        customers::with_id(client, id).await?,
        Flight::new(client, sql, params![id.to_string()]).await?,
    ];
    let [customer, addresses] = at_once(client, flights).await?;
    if customer.is_empty() {
        return Ok(None);
    }
    let addresses = addresses.iter().map(|row| {
        let record = rows::address(row).map_err(|cause| untrue(TABLE, id, cause))?;
        Ok(record.address)
    });
    addresses.collect::<Result<_, SqlError>>().map(Some)
}

/// How many addresses each customer has, in the order of the ids.
pub(crate) async fn counts(
    client: &ClientWrapper,
    ids: Vec<CustomerId>,
) -> Result<Vec<u32>, SqlError> {
    let sql = "SELECT (SELECT count(*) FROM addresses a WHERE a.customer_id = q.id)
         FROM unnest($1::text[]) WITH ORDINALITY q (id, place) ORDER BY q.place";
    let ids: Vec<String> = ids.iter().map(ToString::to_string).collect();
    let [counts] = at_once(client, [Flight::new(client, sql, params![ids]).await?]).await?;
    counts
        .iter()
        .map(|row| {
            let count: i64 = row.try_get(0)?;
            u32::try_from(count).map_err(|cause| untrue(TABLE, "of a customer", cause))
        })
        .collect()
}
