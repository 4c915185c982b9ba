//! What the columns of a row mean, in either database: a row is read in one place, so that no store can
//! take it for something else.

use std::error::Error;

use refund_domain::warranty::{
    Address, AddressLine, AssetTag, CountryCode, Device, DeviceProduct, Imei, ListedUnit,
    MacAddress, ModelName, OpenReturn, Period, PlanName, PostalCode, ProductField, ReturnState,
    Revision, RmaNumber, SerialNumber, TierName, Warranty,
};
use refund_domain::{
    CivilDate, CompanyName, Currency, Customer, CustomerId, CustomerStatus, EmailAddress,
    ExternalId, LanguageTag, Money, PersonName, PhoneNumber, ProductName, Sku, Timestamp,
};

use crate::transfer::{AddressRecord, OpenReturnRecord, WarrantyRecord};

/// Why a row cannot be true.
pub(crate) type Cause = Box<dyn Error + Send + Sync>;

/// A row, whose columns are known by their places.
pub(crate) trait Columns {
    fn text_or_null(&self, column: usize) -> Result<Option<&str>, Cause>;
    fn number(&self, column: usize) -> Result<i64, Cause>;
    fn is_true(&self, column: usize) -> Result<bool, Cause>;
    fn day_or_null(&self, column: usize) -> Result<Option<CivilDate>, Cause>;

    fn text(&self, column: usize) -> Result<&str, Cause> {
        Ok(self.text_or_null(column)?.ok_or("a column is NULL")?)
    }

    fn day(&self, column: usize) -> Result<CivilDate, Cause> {
        Ok(self.day_or_null(column)?.ok_or("a column is NULL")?)
    }

    /// A text of a type of its own, or NULL.
    fn optional<T, E: Error + Send + Sync + 'static>(
        &self,
        column: usize,
        check: fn(&str) -> Result<T, E>,
    ) -> Result<Option<T>, Cause> {
        Ok(self.text_or_null(column)?.map(check).transpose()?)
    }
}

impl Columns for rusqlite::Row<'_> {
    fn text_or_null(&self, column: usize) -> Result<Option<&str>, Cause> {
        Ok(self.get_ref(column)?.as_str_or_null()?)
    }

    fn number(&self, column: usize) -> Result<i64, Cause> {
        Ok(self.get(column)?)
    }

    fn is_true(&self, column: usize) -> Result<bool, Cause> {
        Ok(self.get(column)?)
    }

    fn day_or_null(&self, column: usize) -> Result<Option<CivilDate>, Cause> {
        self.optional(column, CivilDate::parse)
    }
}

#[cfg(feature = "postgres")]
impl Columns for tokio_postgres::Row {
    fn text_or_null(&self, column: usize) -> Result<Option<&str>, Cause> {
        Ok(self.try_get(column)?)
    }

    fn number(&self, column: usize) -> Result<i64, Cause> {
        Ok(self.try_get(column)?)
    }

    fn is_true(&self, column: usize) -> Result<bool, Cause> {
        Ok(self.try_get(column)?)
    }

    fn day_or_null(&self, column: usize) -> Result<Option<CivilDate>, Cause> {
        let day: Option<chrono::NaiveDate> = self.try_get(column)?;
        Ok(day.map(CivilDate::new).transpose()?)
    }
}

/// The columns of [`customer`], of a table named `c`.
macro_rules! customer_columns {
    () => {
        "c.customer_id, c.name, c.email, c.status, c.currency, c.balance_minor, c.created_at_ms,
         c.external_id, c.phone_number, c.company, c.language"
    };
}
pub(crate) use customer_columns;

/// The customer whose columns begin at `base`.
pub(crate) fn customer(row: &impl Columns, base: usize) -> Result<Customer, Cause> {
    let currency = Currency::new(row.text(base + 4)?)?;
    Ok(Customer {
        id: CustomerId::new(row.text(base)?)?,
        name: PersonName::new(row.text(base + 1)?)?,
        email: EmailAddress::new(row.text(base + 2)?)?,
        status: CustomerStatus::from_word(row.text(base + 3)?)
            .ok_or("its status is not a status")?,
        refundable_balance: Money::from_minor(row.number(base + 5)?, currency)?,
        created_at: Timestamp::from_unix_millis(row.number(base + 6)?)?,
        external_id: row.optional(base + 7, ExternalId::new)?,
        phone_number: row.optional(base + 8, PhoneNumber::new)?,
        company: row.optional(base + 9, CompanyName::new)?,
        language: row.optional(base + 10, LanguageTag::new)?,
    })
}

/// The columns of [`device`], of a table named `d`.
macro_rules! device_columns {
    () => {
        "d.serial_number, d.sku, d.customer_id, d.mac_address, d.imei, d.asset_tag, d.shipped_on,
         d.hardware_revision, d.firmware_version"
    };
}
pub(crate) use device_columns;

/// The columns of [`listed_unit`], of tables named `d` and `p`.
macro_rules! listed_unit_columns {
    () => {
        concat!(
            $crate::rows::device_columns!(),
            ", p.name, p.model,
             EXISTS (SELECT 1 FROM open_returns r WHERE r.serial_number = d.serial_number)"
        )
    };
}
pub(crate) use listed_unit_columns;

pub(crate) fn device(row: &impl Columns) -> Result<Device, Cause> {
    Ok(Device {
        serial: SerialNumber::new(row.text(0)?)?,
        sku: Sku::new(row.text(1)?)?,
        customer_id: row.optional(2, CustomerId::new)?,
        mac: row.optional(3, MacAddress::new)?,
        imei: row.optional(4, Imei::new)?,
        asset_tag: row.optional(5, AssetTag::new)?,
        shipped_on: row.day_or_null(6)?,
        hardware_revision: row.optional(7, Revision::new)?,
        firmware_version: row.optional(8, Revision::new)?,
    })
}

pub(crate) fn listed_unit(row: &impl Columns) -> Result<ListedUnit, Cause> {
    let device = device(row)?;
    let name = row.text_or_null(9)?.ok_or("its product is not there")?;
    Ok(ListedUnit {
        product: DeviceProduct {
            sku: device.sku.clone(),
            name: ProductName::new(name)?,
            model: row.optional(10, ModelName::new)?,
        },
        device,
        has_open_return: row.is_true(11)?,
    })
}

/// The columns of [`warranty`].
macro_rules! warranty_columns {
    () => {
        "serial_number, plan_name, tier, start_date, end_date, active"
    };
}
pub(crate) use warranty_columns;

pub(crate) fn warranty(row: &impl Columns) -> Result<WarrantyRecord, Cause> {
    Ok(WarrantyRecord {
        serial: SerialNumber::new(row.text(0)?)?,
        warranty: Warranty {
            plan: PlanName::new(row.text(1)?)?,
            tier: TierName::new(row.text(2)?)?,
            period: Period::new(row.day(3)?, row.day(4)?)?,
            active: row.is_true(5)?,
        },
    })
}

/// The columns of [`open_return`].
macro_rules! open_return_columns {
    () => {
        "rma_number, serial_number, status, created_at_ms"
    };
}
pub(crate) use open_return_columns;

pub(crate) fn open_return(row: &impl Columns) -> Result<OpenReturnRecord, Cause> {
    Ok(OpenReturnRecord {
        serial: SerialNumber::new(row.text(1)?)?,
        open_return: OpenReturn {
            rma_number: RmaNumber::new(row.text(0)?)?,
            status: ReturnState::new(row.text(2)?)?,
            created_at: Timestamp::from_unix_millis(row.number(3)?)?,
        },
    })
}

/// The columns of [`address`].
macro_rules! address_columns {
    () => {
        "customer_id, label, line1, line2, line3, city, state_or_province, postal_code,
         country_code, is_default"
    };
}
pub(crate) use address_columns;

pub(crate) fn address(row: &impl Columns) -> Result<AddressRecord, Cause> {
    Ok(AddressRecord {
        customer_id: CustomerId::new(row.text(0)?)?,
        address: Address {
            label: row.optional(1, AddressLine::new)?,
            line1: AddressLine::new(row.text(2)?)?,
            line2: row.optional(3, AddressLine::new)?,
            line3: row.optional(4, AddressLine::new)?,
            city: AddressLine::new(row.text(5)?)?,
            state_or_province: row.optional(6, AddressLine::new)?,
            postal_code: PostalCode::new(row.text(7)?)?,
            country_code: CountryCode::new(row.text(8)?)?,
            is_default: row.is_true(9)?,
        },
    })
}

/// A searched field's name in the tables of products.
pub(crate) fn field_word(field: ProductField) -> &'static str {
    match field {
        ProductField::Sku => "sku",
        ProductField::Model => "model",
        ProductField::Name => "name",
    }
}
