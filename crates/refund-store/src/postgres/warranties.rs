//! The SQL of table `warranties`.

use deadpool_postgres::ClientWrapper;
use refund_domain::warranty::TierName;
use tokio_postgres::Row;

use super::error::{SqlError, untrue};
use super::flight::{Flight, at_once, params};
use crate::rows;
use crate::transfer::WarrantyRecord;

const TABLE: &str = "warranties";
/// How a row is called in an error: a serial number is a customer's affair.
const ROW: &str = "of a unit";

/// Warranties, as [`read`] reads them.
macro_rules! select {
    () => {
        concat!(
            "SELECT ",
            $crate::rows::warranty_columns!(),
            " FROM warranties "
        )
    };
}
pub(crate) use select;

/// Those of a unit by their first days, plans and tiers.
macro_rules! order {
    () => {
        " ORDER BY start_date, plan_name, tier"
    };
}
pub(crate) use order;

pub(crate) fn read(row: &Row) -> Result<WarrantyRecord, SqlError> {
    rows::warranty(row).map_err(|cause| untrue(TABLE, ROW, cause))
}

/// The tiers that warranties name, each once, by name.
pub(crate) async fn tiers(client: &ClientWrapper) -> Result<Vec<TierName>, SqlError> {
    let sql = "SELECT DISTINCT tier FROM warranties ORDER BY tier";
    let [tiers] = at_once(client, [Flight::new(client, sql, params![]).await?]).await?;
    tiers
        .iter()
        .map(|row| TierName::new(row.try_get(0)?).map_err(|cause| untrue(TABLE, ROW, cause)))
        .collect()
}
