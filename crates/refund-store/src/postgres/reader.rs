//! The handle that reads and cannot write: what the warranty desk is built from.

use std::sync::Arc;

use deadpool_postgres::Object;
use refund_domain::ports::CustomerReader;
use refund_domain::warranty::{
    Address, AddressReader, CustomerSearch, DeviceProduct, DeviceReader, ListedUnit, NormalForm,
    PhoneProbe, ProductField, ProductSearch, ProductUnits, SerialNumber, TextProbe, TierName,
    UnitRecord,
};
use refund_domain::{Customer, CustomerId, EmailAddress, ExternalId, Sku, StoreError};

use super::engine::{Engine, Work, repeated};
use super::session::Purpose;
use super::{
    PostgresStore, addresses, customer_keys, customers, devices, product_keys, warranties,
};

/// Reads what the warranty desk asks for. Clones are handles on the same store.
///
/// *Invariant:* nothing can be written through it. It implements readers alone, the store is not to be
/// had from it, and the server refuses whatever writes on its connections: they begin with
/// `default_transaction_read_only=on`, and every question is a `READ ONLY` transaction. They are its
/// own, so that searches do not hold up refunds. As the reader of a desk it is accepted:
///
/// ```no_run
/// use std::sync::Arc;
///
/// use refund_domain::warranty::{WarrantyDesk, WarrantyPolicy};
/// use refund_store::PostgresStore;
///
/// let url = "postgres://refunds@db.example.com/refunds".parse().unwrap();
/// let store = PostgresStore::new(&url).unwrap();
/// let desk = WarrantyDesk::new(store.reader(), Arc::new(WarrantyPolicy::default()));
/// # let _ = desk;
/// ```
///
/// A desk over the store itself, which could write, is not:
///
/// ```compile_fail
/// use refund_domain::warranty::WarrantyReader;
///
/// fn reads<R: WarrantyReader>() {}
/// reads::<refund_store::PostgresStore>();
/// ```
///
/// And it is no writer:
///
/// ```compile_fail
/// use refund_domain::ports::RefundWriter;
///
/// fn writes<W: RefundWriter>() {}
/// writes::<refund_store::PostgresReader>();
/// ```
#[derive(Debug, Clone)]
pub struct PostgresReader {
    engine: Arc<Engine>,
}

impl PostgresStore {
    /// A handle that reads and cannot write.
    #[must_use]
    pub fn reader(&self) -> PostgresReader {
        PostgresReader {
            engine: Arc::clone(&self.engine),
        }
    }
}

impl PostgresReader {
    /// The tiers that warranties name, each once, by name: for a look at whether the policy has them.
    /// It reads every warranty, and blocks until it is done.
    ///
    /// # Errors
    /// A fault of the store.
    pub fn tiers(&self) -> Result<Vec<TierName>, StoreError> {
        let sessions = self.engine.sessions();
        self.engine
            .block_on(async move {
                let tiers = repeated(&sessions, Purpose::Desk, |session| {
                    Box::pin(warranties::tiers(session))
                });
                tiers.await
            })?
            .map_err(StoreError::from)
    }

    /// Asks a question, again on another connection if one is lost.
    async fn ask<A, T>(
        &self,
        asked: A,
        read: impl for<'c> Fn(&'c Object, A) -> Work<'c, T> + Send + Sync + 'static,
    ) -> Result<T, StoreError>
    where
        A: Clone + Send + Sync + 'static,
        T: Send + 'static,
    {
        self.engine
            .read_for_desk(move |session| read(session, asked.clone()))
            .await
    }
}

impl DeviceReader for PostgresReader {
    async fn unit(&self, serial: &SerialNumber) -> Result<Option<UnitRecord>, StoreError> {
        self.ask(serial.clone(), |session, serial| {
            Box::pin(devices::by_serial(session, serial))
        })
        .await
    }

    async fn units_identified(
        &self,
        form: &NormalForm,
        limit: u32,
    ) -> Result<Vec<UnitRecord>, StoreError> {
        self.ask((form.clone(), limit), |session, (form, limit)| {
            Box::pin(devices::identified(session, form, limit))
        })
        .await
    }

    async fn units_near(
        &self,
        form: &NormalForm,
        limit: u32,
    ) -> Result<Vec<ListedUnit>, StoreError> {
        let asked = devices::Near::new(form, limit);
        self.ask(asked, |session, asked| {
            Box::pin(devices::near(session, asked))
        })
        .await
    }
}

impl ProductSearch for PostgresReader {
    async fn products_like(
        &self,
        field: ProductField,
        probe: &TextProbe,
        limit: u32,
    ) -> Result<Vec<DeviceProduct>, StoreError> {
        self.ask(probe.clone(), move |session, probe| {
            Box::pin(product_keys::like(session, field, probe, limit))
        })
        .await
    }

    async fn units_of(
        &self,
        products: &[Sku],
        owner: Option<CustomerId>,
        limit: u32,
    ) -> Result<ProductUnits, StoreError> {
        self.ask(products.to_vec(), move |session, products| {
            Box::pin(devices::of_products(session, products, owner, limit))
        })
        .await
    }
}

impl CustomerSearch for PostgresReader {
    async fn customers_named(
        &self,
        probe: &TextProbe,
        limit: u32,
    ) -> Result<Vec<Customer>, StoreError> {
        self.ask(probe.clone(), move |session, probe| {
            Box::pin(customer_keys::named(session, probe, limit))
        })
        .await
    }

    async fn customers_with_phone(
        &self,
        probe: &PhoneProbe,
        limit: u32,
    ) -> Result<Vec<Customer>, StoreError> {
        self.ask(probe.clone(), move |session, probe| {
            Box::pin(customer_keys::with_phone(session, probe, limit))
        })
        .await
    }

    async fn customer_with_email(
        &self,
        email: &EmailAddress,
    ) -> Result<Option<Customer>, StoreError> {
        self.ask(email.clone(), |session, email| {
            Box::pin(async move {
                let customer = customers::with_email(session, &email).await?;
                customer_keys::one(session, customer).await
            })
        })
        .await
    }

    async fn customer_with_external_id(
        &self,
        id: &ExternalId,
    ) -> Result<Option<Customer>, StoreError> {
        self.ask(id.clone(), |session, id| {
            Box::pin(async move {
                let customer = customers::with_external_id(session, &id).await?;
                customer_keys::one(session, customer).await
            })
        })
        .await
    }
}

/// For a caller for whom one customer exists.
impl CustomerReader for PostgresReader {
    async fn customer(&self, id: CustomerId) -> Result<Option<Customer>, StoreError> {
        self.ask(id, |session, id| {
            Box::pin(async move {
                let customer = customers::with_id(session, id).await?;
                customer_keys::one(session, customer).await
            })
        })
        .await
    }
}

impl AddressReader for PostgresReader {
    async fn addresses_of(&self, id: CustomerId) -> Result<Option<Vec<Address>>, StoreError> {
        self.ask(id, |session, id| Box::pin(addresses::of(session, id)))
            .await
    }

    async fn address_counts(&self, ids: &[CustomerId]) -> Result<Vec<u32>, StoreError> {
        self.ask(ids.to_vec(), |session, ids| {
            Box::pin(addresses::counts(session, ids))
        })
        .await
    }
}

#[cfg(test)]
mod tests;
