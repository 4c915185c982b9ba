//! The SQL of tables `devices` and `device_identifiers`.

use std::collections::BTreeSet;

use refund_domain::warranty::{
    AssetTag, Device, Imei, ListedUnit, MacAddress, NormalForm, ProductUnits, Revision,
    SerialNumber, UnitRecord,
};
use refund_domain::{CustomerId, Sku};
use rusqlite::{Connection, Row, ToSql, params};

use super::error::SqlError;
use super::{open_returns, warranties};
use crate::rows::{self, device_columns, listed_unit_columns};

const TABLE: &str = "devices";
/// How a row is called in an error: its serial number is a customer's affair.
const ROW: &str = "of a unit";

/// How much more it costs to look an open return up among all units than the other way round.
const DEARER: u64 = 4;

/// Units with their products, as [`rows::listed_unit`] reads them.
macro_rules! select {
    () => {
        concat!(
            "SELECT ",
            listed_unit_columns!(),
            " FROM devices d LEFT JOIN products p ON p.sku = d.sku "
        )
    };
}

/// The unit with this serial number, to the letter, with everything that its coverage depends on.
pub(crate) fn by_serial(
    conn: &Connection,
    serial: &SerialNumber,
) -> Result<Option<UnitRecord>, SqlError> {
    let Some(unit) = listed_by_serial(conn, serial.as_str())? else {
        surely_absent(conn, serial)?;
        return Ok(None);
    };
    record(conn, unit).map(Some)
}

/// The units one of whose identifiers has this form, by serial number, at most `limit`.
pub(crate) fn identified(
    conn: &Connection,
    form: &NormalForm,
    limit: u32,
) -> Result<Vec<UnitRecord>, SqlError> {
    let mut serials = Serials::new(limit);
    serials.add_form(conn, form)?;
    if serials.found.is_empty() {
        surely_unidentified(conn, form)?;
    }
    let units = serials.units(conn)?.into_iter();
    units.map(|unit| record(conn, unit)).collect()
}

/// The units with an identifier that is one edit or look-alikes away, by serial number, at most
/// `limit`.
pub(crate) fn near(
    conn: &Connection,
    form: &NormalForm,
    limit: u32,
) -> Result<Vec<ListedUnit>, SqlError> {
    let mut serials = Serials::new(limit);
    // Hundreds of probes of an index that say no; a scan of many units would cost more.
    for variant in form.one_edit_variants() {
        serials.add_form(conn, &variant)?;
    }
    let sql = "SELECT DISTINCT serial_number FROM device_identifiers WHERE look_alike_key = ?1
         ORDER BY serial_number LIMIT ?2";
    serials.add(conn, sql, form.look_alike_key().as_str())?;
    serials.units(conn)
}

/// The units of these products, in their order, those of one product by serial number; at most
/// `limit` without an open return are listed, and all are counted.
pub(crate) fn of_products(
    conn: &Connection,
    skus: &[Sku],
    limit: u32,
) -> Result<ProductUnits, SqlError> {
    let mut found = ProductUnits {
        shown: 0,
        with_open_return: 0,
        units: Vec::new(),
    };
    let mut counted = Vec::with_capacity(skus.len());
    let mut in_all = 0;
    for sku in skus {
        let all: i64 = conn
            .prepare_cached("SELECT count(*) FROM devices WHERE sku = ?1")?
            .query_row([sku.as_str()], |row| row.get(0))?;
        in_all += all.unsigned_abs();
        counted.push((sku, all.unsigned_abs()));
    }
    // Either these units are looked up among the open returns, which are few and at hand, or the open
    // returns among all units, which costs several times as much for each.
    let by_product = if in_all / DEARER < open_returns::count(conn)? {
        None
    } else {
        Some(open_returns::units_by_product(conn)?)
    };
    for (sku, all) in counted {
        let open = match &by_product {
            Some(by_product) => by_product.get(sku.as_str()).copied().unwrap_or(0),
            None => open_returns::units_of_product(conn, sku)?,
        };
        found.with_open_return += open;
        found.shown += all.saturating_sub(open);
        let listed = u32::try_from(found.units.len()).unwrap_or(limit);
        let left = limit.saturating_sub(listed);
        if left > 0 {
            let sql = concat!(
                select!(),
                "WHERE d.sku = ?1 AND NOT EXISTS
                     (SELECT 1 FROM open_returns o WHERE o.serial_number = d.serial_number)
                 ORDER BY d.serial_number LIMIT ?2"
            );
            found
                .units
                .extend(units(conn, sql, &[&sku.as_str(), &left])?);
        }
    }
    Ok(found)
}

/// The same of one owner, who has few.
pub(crate) fn of_products_and_owner(
    conn: &Connection,
    skus: &[Sku],
    owner: CustomerId,
    limit: u32,
) -> Result<ProductUnits, SqlError> {
    // The sign keeps the planner from reading all units of the product.
    let sql = concat!(
        select!(),
        "WHERE d.customer_id = ?1 AND +d.sku = ?2 ORDER BY d.serial_number"
    );
    let mut found = ProductUnits {
        shown: 0,
        with_open_return: 0,
        units: Vec::new(),
    };
    for sku in skus {
        for unit in units(conn, sql, &[&owner.to_string(), &sku.as_str()])? {
            if unit.has_open_return {
                found.with_open_return += 1;
                continue;
            }
            found.shown += 1;
            if found.units.len() < limit as usize {
                found.units.push(unit);
            }
        }
    }
    Ok(found)
}

/// The unit alone, without its product.
pub(crate) fn alone(conn: &Connection, serial: &SerialNumber) -> Result<Option<Device>, SqlError> {
    let mut statement = conn.prepare_cached(concat!(
        "SELECT ",
        device_columns!(),
        " FROM devices d WHERE d.serial_number = ?1"
    ))?;
    let mut rows = statement.query([serial.as_str()])?;
    rows.next()?.map(read).transpose()
}

/// Every unit, by serial number.
pub(crate) const EVERY: &str = concat!(
    "SELECT ",
    device_columns!(),
    " FROM devices d ORDER BY d.serial_number"
);

/// Every unit, by serial number, one at a time.
pub(crate) fn each<E: From<SqlError>>(
    conn: &Connection,
    mut take: impl FnMut(Device) -> Result<(), E>,
) -> Result<(), E> {
    let mut statement = conn.prepare(EVERY).map_err(SqlError::from)?;
    let mut rows = statement.query([]).map_err(SqlError::from)?;
    while let Some(row) = rows.next().map_err(SqlError::from)? {
        take(read(row)?)?;
    }
    Ok(())
}

/// Adds a unit and indexes whatever names it.
pub(crate) fn insert(conn: &Connection, device: &Device) -> Result<(), SqlError> {
    let sql = "INSERT INTO devices (serial_number, sku, customer_id, mac_address, imei, asset_tag,
             shipped_on, hardware_revision, firmware_version)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9)";
    save(conn, sql, device)?;
    index(conn, device)
}

/// Changes everything but the serial number.
pub(crate) fn update(conn: &Connection, device: &Device) -> Result<(), SqlError> {
    let sql = "UPDATE devices SET sku = ?2, customer_id = ?3, mac_address = ?4, imei = ?5,
             asset_tag = ?6, shipped_on = ?7, hardware_revision = ?8, firmware_version = ?9
         WHERE serial_number = ?1";
    save(conn, sql, device)?;
    conn.prepare_cached("DELETE FROM device_identifiers WHERE serial_number = ?1")?
        .execute([device.serial.as_str()])?;
    index(conn, device)
}

fn save(conn: &Connection, sql: &str, device: &Device) -> Result<(), SqlError> {
    let saved = conn.prepare_cached(sql)?.execute(params![
        device.serial.as_str(),
        device.sku.as_str(),
        device.customer_id.map(|id| id.to_string()),
        device.mac.as_ref().map(MacAddress::as_str),
        device.imei.as_ref().map(Imei::as_str),
        device.asset_tag.as_ref().map(AssetTag::as_str),
        device.shipped_on.map(|day| day.to_string()),
        device.hardware_revision.as_ref().map(Revision::as_str),
        device.firmware_version.as_ref().map(Revision::as_str),
    ])?;
    if saved == 1 {
        Ok(())
    } else {
        Err(SqlError::untrue(TABLE, ROW, "it was not saved"))
    }
}

fn index(conn: &Connection, device: &Device) -> Result<(), SqlError> {
    for (kind, text) in device.identifiers() {
        let form = NormalForm::of(text)
            .ok_or_else(|| SqlError::untrue(TABLE, ROW, "an identifier says nothing"))?;
        let inserted = conn
            .prepare_cached(
                "INSERT INTO device_identifiers (serial_number, kind, form, look_alike_key)
                 VALUES (?1, ?2, ?3, ?4)",
            )?
            .execute(params![
                device.serial.as_str(),
                kind.to_string(),
                form.as_str(),
                form.look_alike_key().as_str(),
            ])?;
        if inserted != 1 {
            return Err(SqlError::untrue(TABLE, ROW, "it was not indexed"));
        }
    }
    Ok(())
}

/// A damaged page must never look like an unknown unit: the table of identifiers is asked too.
fn surely_absent(conn: &Connection, serial: &SerialNumber) -> Result<(), SqlError> {
    let indexed = conn
        .prepare_cached("SELECT 1 FROM device_identifiers WHERE serial_number = ?1")?
        .exists([serial.as_str()])?;
    if indexed {
        let cause = "it has identifiers and is not in the table";
        return Err(SqlError::untrue(TABLE, ROW, cause));
    }
    Ok(())
}

/// The same for a form: the index of look-alikes is asked too.
fn surely_unidentified(conn: &Connection, form: &NormalForm) -> Result<(), SqlError> {
    let indexed = conn
        .prepare_cached(
            "SELECT 1 FROM device_identifiers INDEXED BY device_identifiers_by_look_alike
             WHERE look_alike_key = ?1 AND form = ?2",
        )?
        .exists([form.look_alike_key().as_str(), form.as_str()])?;
    if indexed {
        let cause = "one of its identifiers is in one index alone";
        return Err(SqlError::untrue(TABLE, ROW, cause));
    }
    Ok(())
}

/// Serial numbers that several queries find, each once: the first ones in order, no more than are
/// wanted.
struct Serials {
    found: BTreeSet<String>,
    limit: u32,
}

impl Serials {
    fn new(limit: u32) -> Self {
        Self {
            found: BTreeSet::new(),
            limit,
        }
    }

    fn add_form(&mut self, conn: &Connection, form: &NormalForm) -> Result<(), SqlError> {
        let sql = "SELECT DISTINCT serial_number FROM device_identifiers WHERE form = ?1
             ORDER BY serial_number LIMIT ?2";
        self.add(conn, sql, form.as_str())
    }

    fn add(&mut self, conn: &Connection, sql: &str, key: &str) -> Result<(), SqlError> {
        let mut statement = conn.prepare_cached(sql)?;
        let mut rows = statement.query(params![key, self.limit])?;
        while let Some(row) = rows.next()? {
            self.found.insert(row.get(0)?);
        }
        while self.found.len() > self.limit as usize {
            self.found.pop_last();
        }
        Ok(())
    }

    fn units(self, conn: &Connection) -> Result<Vec<ListedUnit>, SqlError> {
        let mut units = Vec::with_capacity(self.found.len());
        for serial in self.found {
            let unit = listed_by_serial(conn, &serial)?;
            let missing = || SqlError::untrue(TABLE, ROW, "it is in an index alone");
            units.push(unit.ok_or_else(missing)?);
        }
        Ok(units)
    }
}

fn listed_by_serial(conn: &Connection, serial: &str) -> Result<Option<ListedUnit>, SqlError> {
    let sql = concat!(select!(), "WHERE d.serial_number = ?1");
    Ok(units(conn, sql, &[&serial])?.pop())
}

fn units(conn: &Connection, sql: &str, values: &[&dyn ToSql]) -> Result<Vec<ListedUnit>, SqlError> {
    let mut statement = conn.prepare_cached(sql)?;
    let mut found = statement.query(values)?;
    let mut units = Vec::new();
    while let Some(row) = found.next()? {
        units.push(rows::listed_unit(row).map_err(|cause| SqlError::untrue(TABLE, ROW, cause))?);
    }
    Ok(units)
}

/// The unit with its warranties and open returns.
fn record(conn: &Connection, unit: ListedUnit) -> Result<UnitRecord, SqlError> {
    let serial = &unit.device.serial;
    Ok(UnitRecord {
        warranties: warranties::of(conn, serial)?,
        open_returns: open_returns::of(conn, serial)?,
        device: unit.device,
        product: unit.product,
    })
}

pub(crate) fn read(row: &Row<'_>) -> Result<Device, SqlError> {
    rows::device(row).map_err(|cause| SqlError::untrue(TABLE, ROW, cause))
}
