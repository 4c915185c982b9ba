//! The handle that reads and cannot write: what the warranty desk is built from.

use refund_domain::ports::CustomerReader;
use refund_domain::warranty::{
    Address, AddressReader, CustomerSearch, DeviceProduct, DeviceReader, ListedUnit, NormalForm,
    PhoneProbe, ProductField, ProductSearch, ProductUnits, SerialNumber, TextProbe, TierName,
    UnitRecord,
};
use refund_domain::{Customer, CustomerId, EmailAddress, ExternalId, Sku, StoreError};
use rusqlite::Connection;

use super::error::SqlError;
use super::{SqliteStore, addresses, customer_keys, customers, devices, product_keys, warranties};

/// Reads what the warranty desk asks for. Clones are handles on the same store.
///
/// *Invariant:* nothing can be written through it. It implements readers alone, its connections are
/// opened read-only (`SQLITE_OPEN_READONLY`), and the store is not to be had from it. As the reader of
/// a desk it is accepted:
///
/// ```
/// use std::sync::Arc;
///
/// use refund_domain::warranty::{WarrantyDesk, WarrantyPolicy};
/// use refund_store::SqliteStore;
///
/// let store = SqliteStore::memory().unwrap();
/// let desk = WarrantyDesk::new(store.reader(), Arc::new(WarrantyPolicy::default()));
/// # let _ = desk;
/// ```
///
/// A desk over the store itself, which could write, is not:
///
/// ```compile_fail
/// use refund_domain::warranty::WarrantyReader;
/// use refund_store::SqliteStore;
///
/// fn reads(_: impl WarrantyReader) {}
/// reads(SqliteStore::memory().unwrap());
/// ```
///
/// And it is no writer:
///
/// ```compile_fail
/// use refund_domain::ports::RefundWriter;
/// use refund_store::SqliteStore;
///
/// fn writes(_: impl RefundWriter) {}
/// writes(SqliteStore::memory().unwrap().reader());
/// ```
#[derive(Debug, Clone)]
pub struct SqliteReader {
    store: SqliteStore,
}

impl SqliteStore {
    /// A handle that reads and cannot write.
    #[must_use]
    pub fn reader(&self) -> SqliteReader {
        SqliteReader {
            store: self.clone(),
        }
    }
}

impl SqliteReader {
    /// The tiers that warranties name, each once, by name: for a look at whether the policy has them.
    /// It reads every warranty.
    ///
    /// # Errors
    /// A fault of the store.
    pub fn tiers(&self) -> Result<Vec<TierName>, StoreError> {
        self.read(warranties::tiers)
    }

    fn read<T>(
        &self,
        read: impl FnOnce(&Connection) -> Result<T, SqlError>,
    ) -> Result<T, StoreError> {
        Ok(self.store.ready()?.readers.read(read)?)
    }
}

impl DeviceReader for SqliteReader {
    async fn unit(&self, serial: &SerialNumber) -> Result<Option<UnitRecord>, StoreError> {
        self.read(|conn| devices::by_serial(conn, serial))
    }

    async fn units_identified(
        &self,
        form: &NormalForm,
        limit: u32,
    ) -> Result<Vec<UnitRecord>, StoreError> {
        self.read(|conn| devices::identified(conn, form, limit))
    }

    async fn units_near(
        &self,
        form: &NormalForm,
        limit: u32,
    ) -> Result<Vec<ListedUnit>, StoreError> {
        self.read(|conn| devices::near(conn, form, limit))
    }
}

impl ProductSearch for SqliteReader {
    async fn products_like(
        &self,
        field: ProductField,
        probe: &TextProbe,
        limit: u32,
    ) -> Result<Vec<DeviceProduct>, StoreError> {
        self.read(|conn| product_keys::like(conn, field, probe, limit))
    }

    async fn units_of(
        &self,
        products: &[Sku],
        owner: Option<CustomerId>,
        limit: u32,
    ) -> Result<ProductUnits, StoreError> {
        self.read(|conn| match owner {
            None => devices::of_products(conn, products, limit),
            Some(owner) => devices::of_products_and_owner(conn, products, owner, limit),
        })
    }
}

impl CustomerSearch for SqliteReader {
    async fn customers_named(
        &self,
        probe: &TextProbe,
        limit: u32,
    ) -> Result<Vec<Customer>, StoreError> {
        self.read(|conn| customer_keys::named(conn, probe, limit))
    }

    async fn customers_with_phone(
        &self,
        probe: &PhoneProbe,
        limit: u32,
    ) -> Result<Vec<Customer>, StoreError> {
        self.read(|conn| customer_keys::with_phone(conn, probe, limit))
    }

    async fn customer_with_email(
        &self,
        email: &EmailAddress,
    ) -> Result<Option<Customer>, StoreError> {
        self.read(|conn| customer_keys::with_email(conn, email))
    }

    async fn customer_with_external_id(
        &self,
        id: &ExternalId,
    ) -> Result<Option<Customer>, StoreError> {
        self.read(|conn| customer_keys::with_external_id(conn, id))
    }
}

/// For a caller for whom one customer exists.
impl CustomerReader for SqliteReader {
    async fn customer(&self, id: CustomerId) -> Result<Option<Customer>, StoreError> {
        self.read(|conn| customers::by_id(conn, id))
    }
}

impl AddressReader for SqliteReader {
    async fn addresses_of(&self, id: CustomerId) -> Result<Option<Vec<Address>>, StoreError> {
        self.read(|conn| addresses::of(conn, id))
    }

    async fn address_counts(&self, ids: &[CustomerId]) -> Result<Vec<u32>, StoreError> {
        self.read(|conn| addresses::counts(conn, ids))
    }
}

#[cfg(test)]
mod tests {
    use rusqlite::ErrorCode;

    use super::*;
    use crate::DemoData;

    // Promise 1 of the toolset: even a faulty query cannot write.
    #[test]
    fn the_database_itself_refuses_to_write() {
        let store = SqliteStore::memory().unwrap();
        DemoData::Refunds.import_into(&store).unwrap();
        let reader = store.reader();
        for sql in [
            "UPDATE customers SET balance_minor = balance_minor + 1",
            "INSERT INTO customer_keys (key, number) VALUES ('x', 1)",
            "DELETE FROM devices",
            "CREATE TABLE more (x)",
            "PRAGMA query_only = OFF; UPDATE customers SET name = 'x'",
            "PRAGMA user_version = 7",
        ] {
            let mut code = None;
            let done = reader.read(|conn| {
                let result = conn.execute_batch(sql);
                code = result
                    .as_ref()
                    .err()
                    .and_then(rusqlite::Error::sqlite_error_code);
                Ok(result?)
            });
            assert!(done.is_err(), "{sql}");
            assert_eq!(code, Some(ErrorCode::ReadOnly), "{sql}");
        }
        assert!(store.check().unwrap().is_sound());
    }
}
