//! The SQL of tables `devices` and `device_identifiers`.

use std::collections::HashMap;

use deadpool_postgres::ClientWrapper;
use refund_domain::warranty::{
    ListedUnit, NormalForm, OpenReturn, ProductUnits, SerialNumber, UnitRecord, Warranty,
};
use refund_domain::{CustomerId, Sku};
use tokio_postgres::Row;

use super::error::{SqlError, untrue};
use super::flight::{BEGIN_TO_READ, Flight, at_once, params};
use super::{open_returns, warranties};
use crate::rows::{self, listed_unit_columns};

const TABLE: &str = "devices";
/// How a row is called in an error: its serial number is a customer's affair.
const ROW: &str = "of a unit";

/// Units with their products, as [`rows::listed_unit`] reads them.
macro_rules! select {
    () => {
        concat!("SELECT ", listed_unit_columns!(), " FROM ", units!())
    };
}

macro_rules! units {
    () => {
        "devices d LEFT JOIN products p ON p.sku = d.sku "
    };
}

/// The serial numbers of the units one of whose identifiers has form `$1`, at most `$2`.
macro_rules! identified {
    () => {
        "(SELECT DISTINCT i.serial_number FROM device_identifiers i WHERE i.form = $1
          ORDER BY i.serial_number LIMIT $2)"
    };
}

/// The unit with this serial number, to the letter, with everything that its coverage depends on.
pub(crate) async fn by_serial(
    client: &ClientWrapper,
    serial: SerialNumber,
) -> Result<Option<UnitRecord>, SqlError> {
    let serial = serial.as_str();
    let units = concat!(select!(), "WHERE d.serial_number = $1");
    let warranties = concat!(
        warranties::select!(),
        "WHERE serial_number = $1 ",
        warranties::order!()
    );
    let open_returns = concat!(
        open_returns::select!(),
        "WHERE serial_number = $1 ",
        open_returns::order!()
    );
    let flights = [
        Flight::new(client, units, params![serial.to_owned()]).await?,
        Flight::new(client, warranties, params![serial.to_owned()]).await?,
        Flight::new(client, open_returns, params![serial.to_owned()]).await?,
    ];
    Ok(records(at_once(client, flights).await?)?.pop())
}

/// The units one of whose identifiers has this form, by serial number, at most `limit`.
pub(crate) async fn identified(
    client: &ClientWrapper,
    form: NormalForm,
    limit: u32,
) -> Result<Vec<UnitRecord>, SqlError> {
    let units = concat!(
        select!(),
        "WHERE d.serial_number IN ",
        identified!(),
        " ORDER BY d.serial_number"
    );
    let warranties = concat!(
        warranties::select!(),
        "WHERE serial_number IN ",
        identified!(),
        warranties::order!()
    );
    let open_returns = concat!(
        open_returns::select!(),
        "WHERE serial_number IN ",
        identified!(),
        open_returns::order!()
    );
    let asked = || params![form.as_str().to_owned(), i64::from(limit)];
    let flights = [
        Flight::new(client, units, asked()).await?,
        Flight::new(client, warranties, asked()).await?,
        Flight::new(client, open_returns, asked()).await?,
    ];
    records(at_once(client, flights).await?)
}

/// A question for near misses.
#[derive(Clone)]
pub(crate) struct Near {
    forms: Vec<String>,
    look_alike_key: String,
    limit: i64,
}

impl Near {
    pub(crate) fn new(form: &NormalForm, limit: u32) -> Self {
        let variants = form.one_edit_variants();
        Self {
            forms: variants
                .iter()
                .map(|form| form.as_str().to_owned())
                .collect(),
            look_alike_key: form.look_alike_key().as_str().to_owned(),
            limit: limit.into(),
        }
    }
}

/// The units with an identifier that is one edit or look-alikes away, by serial number, at most
/// `limit`.
pub(crate) async fn near(client: &ClientWrapper, asked: Near) -> Result<Vec<ListedUnit>, SqlError> {
    // Hundreds of probes of an index, each of which reads no further than the limit.
    let sql = concat!(
        select!(),
        "WHERE d.serial_number IN (
             SELECT n.serial_number FROM (
                 SELECT i.serial_number FROM unnest($1::text[]) v (form) CROSS JOIN LATERAL
                     (SELECT DISTINCT serial_number FROM device_identifiers
                      WHERE form = v.form ORDER BY serial_number LIMIT $3) i
                 UNION
                 (SELECT DISTINCT serial_number FROM device_identifiers
                  WHERE look_alike_key = $2 ORDER BY serial_number LIMIT $3)) n
             ORDER BY n.serial_number LIMIT $3)
         ORDER BY d.serial_number"
    );
    let params = params![asked.forms, asked.look_alike_key, asked.limit];
    let [units] = at_once(client, [Flight::new(client, sql, params).await?]).await?;
    listed(&units)
}

/// How many units of each product there are, of every owner or of one; products without any are left out.
macro_rules! counts {
    ($client:expr, $skus:expr, $owner:expr, $which:literal) => {
        match $owner {
            None => {
                let sql = concat!(
                    "SELECT d.sku, count(*) FROM devices d WHERE d.sku = ANY ($1)",
                    $which,
                    " GROUP BY d.sku"
                );
                Flight::new($client, sql, params![$skus.clone()]).await?
            }
            Some(owner) => {
                let sql = concat!(
                    "SELECT d.sku, count(*) FROM devices d WHERE d.customer_id = $1",
                    $which,
                    " GROUP BY d.sku"
                );
                Flight::new($client, sql, params![owner.to_string()]).await?
            }
        }
    };
}

/// The units of these products, of every owner or of one, in the order of the products, those of one
/// product by serial number; at most `limit` without an open return are listed, and all are counted.
pub(crate) async fn of_products(
    client: &ClientWrapper,
    skus: Vec<Sku>,
    owner: Option<CustomerId>,
    limit: u32,
) -> Result<ProductUnits, SqlError> {
    let skus: Vec<String> = skus.iter().map(|sku| sku.as_str().to_owned()).collect();
    let all = counts!(client, skus, owner, "");
    let open = counts!(
        client,
        skus,
        owner,
        " AND EXISTS (SELECT 1 FROM open_returns o WHERE o.serial_number = d.serial_number)"
    );
    // Many units beside all open returns: here alone a hash table is the better way.
    let (begun, set, all, open) = tokio::join!(
        biased;
        client.batch_execute(BEGIN_TO_READ),
        client.batch_execute("SET LOCAL enable_hashjoin = on"),
        all.rows(client),
        open.rows(client),
    );
    begun?;
    set?;
    let (all, open) = (counted(&all?)?, counted(&open?)?);
    let mut found = ProductUnits {
        shown: 0,
        with_open_return: 0,
        units: Vec::new(),
    };
    // Those products alone that have a unit to be listed.
    let mut listed_skus = Vec::new();
    for sku in skus {
        let open = open.get(&sku).copied().unwrap_or(0);
        let shown = all.get(&sku).copied().unwrap_or(0).saturating_sub(open);
        if found.shown < u64::from(limit) && shown > 0 {
            listed_skus.push(sku);
        }
        found.with_open_return += open;
        found.shown += shown;
    }
    let units = first_of(client, listed_skus, owner, limit).await?;
    let (set, units, ended) = tokio::join!(
        biased;
        client.batch_execute("SET LOCAL enable_hashjoin = off"),
        units.rows(client),
        client.batch_execute("COMMIT"),
    );
    set?;
    found.units = listed(&units?)?;
    ended?;
    Ok(found)
}

fn counted(rows: &[Row]) -> Result<HashMap<String, u64>, SqlError> {
    rows.iter()
        .map(|row| {
            let count: i64 = row.try_get(1)?;
            Ok((row.try_get(0)?, count.unsigned_abs()))
        })
        .collect()
}

/// The first units of these products without an open return.
async fn first_of(
    client: &ClientWrapper,
    skus: Vec<String>,
    owner: Option<CustomerId>,
    limit: u32,
) -> Result<Flight, SqlError> {
    macro_rules! first_of {
        ($units:literal) => {
            concat!(
                "SELECT ",
                listed_unit_columns!(),
                " FROM unnest($1::text[]) WITH ORDINALITY q (sku, place)
                  CROSS JOIN LATERAL
                      (SELECT u.* FROM devices u WHERE ",
                $units,
                " AND NOT EXISTS
                          (SELECT 1 FROM open_returns o WHERE o.serial_number = u.serial_number)
                       ORDER BY u.serial_number LIMIT $2) d
                  LEFT JOIN products p ON p.sku = d.sku
                  ORDER BY q.place, d.serial_number LIMIT $2"
            )
        };
    }
    let limit = i64::from(limit);
    if skus.is_empty() {
        return Ok(Flight::none());
    }
    match owner {
        None => Flight::new(client, first_of!("u.sku = q.sku"), params![skus, limit]).await,
        Some(owner) => {
            // Nothing is appended: it keeps the planner from reading all units of the product.
            let sql = first_of!("u.customer_id = $3 AND u.sku || '' = q.sku");
            Flight::new(client, sql, params![skus, limit, owner.to_string()]).await
        }
    }
}

fn listed(rows: &[Row]) -> Result<Vec<ListedUnit>, SqlError> {
    rows.iter()
        .map(|row| rows::listed_unit(row).map_err(|cause| untrue(TABLE, ROW, cause)))
        .collect()
}

/// Units with their warranties and open returns.
fn records([units, warranties, open_returns]: [Vec<Row>; 3]) -> Result<Vec<UnitRecord>, SqlError> {
    let mut covers: HashMap<SerialNumber, Vec<Warranty>> = HashMap::new();
    for row in &warranties {
        let record = warranties::read(row)?;
        covers
            .entry(record.serial)
            .or_default()
            .push(record.warranty);
    }
    let mut opened: HashMap<SerialNumber, Vec<OpenReturn>> = HashMap::new();
    for row in &open_returns {
        let record = open_returns::read(row)?;
        opened
            .entry(record.serial)
            .or_default()
            .push(record.open_return);
    }
    let units = listed(&units)?.into_iter();
    Ok(units
        .map(|unit| UnitRecord {
            warranties: covers.remove(&unit.device.serial).unwrap_or_default(),
            open_returns: opened.remove(&unit.device.serial).unwrap_or_default(),
            device: unit.device,
            product: unit.product,
        })
        .collect())
}
