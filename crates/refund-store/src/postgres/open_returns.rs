//! The SQL of table `open_returns`.

use tokio_postgres::Row;

use super::error::{SqlError, untrue};
use crate::rows;
use crate::transfer::OpenReturnRecord;

const TABLE: &str = "open_returns";

/// Open returns, as [`read`] reads them.
macro_rules! select {
    () => {
        concat!(
            "SELECT ",
            $crate::rows::open_return_columns!(),
            " FROM open_returns "
        )
    };
}
pub(crate) use select;

/// Those of a unit, the oldest first, those of one instant by number.
macro_rules! order {
    () => {
        " ORDER BY created_at_ms, rma_number"
    };
}
pub(crate) use order;

pub(crate) fn read(row: &Row) -> Result<OpenReturnRecord, SqlError> {
    rows::open_return(row).map_err(|cause| {
        let number = row.try_get::<_, &str>(0).unwrap_or("without a number");
        untrue(TABLE, number, cause)
    })
}
