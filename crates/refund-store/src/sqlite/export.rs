//! Exporting: every record of one snapshot, streamed.

use std::io::{self, Write};

use rusqlite::Connection;

use super::error::SqlError;
use super::{
    SqliteStore, addresses, connection, customers, devices, escalations, open_returns, orders,
    products, refunds, returns, warranties,
};
use crate::transfer::{Entity, ExportError, Format, RefundRecord, Writer};

impl From<SqlError> for ExportError {
    fn from(error: SqlError) -> Self {
        Self::Fault(error.into())
    }
}

impl From<io::Error> for ExportError {
    fn from(error: io::Error) -> Self {
        Self::Write(error)
    }
}

impl SqliteStore {
    /// Writes the records of these entities (of the one that [`Format::Csv`] names), as they are at one
    /// moment, customers by id and refunds from the oldest to the newest. Servers may run meanwhile.
    /// Says how many records there were.
    ///
    /// # Errors
    /// The output cannot be written, or the store not read. What was written until then is incomplete.
    pub fn export(
        &self,
        entities: &[Entity],
        format: Format,
        out: impl Write,
    ) -> Result<u64, ExportError> {
        let _open = self.ready().map_err(ExportError::Fault)?;
        let conn = connection::reader(self.path()).map_err(SqlError::from)?;
        let snapshot = conn.unchecked_transaction().map_err(SqlError::from)?;
        let mut writer = Writer::new(format, out)?;
        let mut count = 0;
        for entity in Entity::ALL {
            let wanted = match format {
                Format::Csv(of) => of == entity,
                Format::Json | Format::Ndjson => entities.contains(&entity),
            };
            if wanted {
                writer.begin(entity)?;
                count += records(&snapshot, entity, &mut writer)?;
            }
        }
        writer.end()?;
        Ok(count)
    }
}

fn records(
    conn: &Connection,
    entity: Entity,
    writer: &mut Writer<impl Write>,
) -> Result<u64, ExportError> {
    let mut count = 0;
    match entity {
        Entity::Customers => customers::each(conn, |customer| {
            count += 1;
            writer.record(&customer).map_err(ExportError::Write)
        })?,
        Entity::Addresses => addresses::each(conn, |address| {
            count += 1;
            writer.record(&address).map_err(ExportError::Write)
        })?,
        Entity::Products => products::each(conn, |product| {
            count += 1;
            writer.record(&product).map_err(ExportError::Write)
        })?,
        Entity::Orders => orders::each(conn, |order| {
            count += 1;
            writer.record(&order).map_err(ExportError::Write)
        })?,
        Entity::Devices => devices::each(conn, |device| {
            count += 1;
            writer.record(&device).map_err(ExportError::Write)
        })?,
        Entity::Warranties => warranties::each(conn, |warranty| {
            count += 1;
            writer.record(&warranty).map_err(ExportError::Write)
        })?,
        Entity::OpenReturns => open_returns::each(conn, |open| {
            count += 1;
            writer.record(&open).map_err(ExportError::Write)
        })?,
        Entity::Returns => returns::each(conn, |made| {
            count += 1;
            writer.record(&made).map_err(ExportError::Write)
        })?,
        Entity::Escalations => escalations::each(conn, |conversation| {
            count += 1;
            writer.record(&conversation).map_err(ExportError::Write)
        })?,
        Entity::EscalationTurns => escalations::each_turn(conn, |turn| {
            count += 1;
            writer.record(&turn).map_err(ExportError::Write)
        })?,
        Entity::Refunds => refunds::each(conn, |refund| {
            count += 1;
            writer
                .record(&RefundRecord::from(refund))
                .map_err(ExportError::Write)
        })?,
    }
    Ok(count)
}
