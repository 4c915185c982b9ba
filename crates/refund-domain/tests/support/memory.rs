//! The readers, over plain lists: every question is a scan that asks the domain what fits.

use std::future::ready;
use std::pin::pin;
use std::task::{Context, Poll, Waker};

use refund_domain::ports::CustomerReader;
use refund_domain::warranty::{
    Address, AddressReader, CustomerSearch, DeviceProduct, DeviceReader, ListedUnit, NormalForm,
    PhoneProbe, ProductField, ProductSearch, ProductUnits, SerialNumber, TextProbe, UnitRecord,
    match_kind,
};
use refund_domain::{Customer, CustomerId, EmailAddress, ExternalId, Sku, StoreError};

/// A world.
#[derive(Debug, Clone, Default)]
pub(crate) struct Memory {
    pub(crate) units: Vec<UnitRecord>,
    pub(crate) products: Vec<DeviceProduct>,
    pub(crate) customers: Vec<(Customer, Vec<Address>)>,
    /// Whether a search by text gets everything, as from a store that scans.
    pub(crate) scans: bool,
}

/// The result of a future that never waits.
pub(crate) fn now<T>(future: impl Future<Output = T>) -> T {
    let mut context = Context::from_waker(Waker::noop());
    match pin!(future).poll(&mut context) {
        Poll::Ready(value) => value,
        Poll::Pending => panic!("nothing here waits"),
    }
}

type Answer<T> = Result<T, StoreError>;

fn first<T>(items: impl Iterator<Item = T>, limit: u32) -> Vec<T> {
    items.take(limit as usize).collect()
}

impl Memory {
    fn by_serial(&self) -> Vec<&UnitRecord> {
        let mut units: Vec<&UnitRecord> = self.units.iter().collect();
        units.sort_by(|one, other| one.device.serial.cmp(&other.device.serial));
        units
    }

    fn finds(&self, probe: &TextProbe, text: &str) -> bool {
        self.scans || probe.finds(text)
    }
}

impl DeviceReader for Memory {
    fn unit(
        &self,
        serial: &SerialNumber,
    ) -> impl Future<Output = Answer<Option<UnitRecord>>> + Send {
        let found = self.units.iter().find(|unit| unit.device.serial == *serial);
        ready(Ok(found.cloned()))
    }

    fn units_identified(
        &self,
        form: &NormalForm,
        limit: u32,
    ) -> impl Future<Output = Answer<Vec<UnitRecord>>> + Send {
        let has = |unit: &&UnitRecord| {
            unit.device
                .identifiers()
                .any(|(_, text)| NormalForm::of(text).as_ref() == Some(form))
        };
        ready(Ok(first(
            self.by_serial().into_iter().filter(has).cloned(),
            limit,
        )))
    }

    fn units_near(
        &self,
        form: &NormalForm,
        limit: u32,
    ) -> impl Future<Output = Answer<Vec<ListedUnit>>> + Send {
        // What an index finds, and so without the variants, which are dear to make.
        let near = |unit: &&UnitRecord| {
            unit.device
                .identifiers()
                .any(|(_, text)| match_kind(form.as_str(), text).is_some())
        };
        let found = self
            .by_serial()
            .into_iter()
            .filter(near)
            .map(UnitRecord::listed);
        ready(Ok(first(found, limit)))
    }
}

impl ProductSearch for Memory {
    fn products_like(
        &self,
        field: ProductField,
        probe: &TextProbe,
        limit: u32,
    ) -> impl Future<Output = Answer<Vec<DeviceProduct>>> + Send {
        let found = self
            .products
            .iter()
            .filter(|product| self.finds(probe, field.of(product)));
        ready(Ok(first(found.cloned(), limit)))
    }

    fn units_of(
        &self,
        products: &[Sku],
        owner: Option<CustomerId>,
        limit: u32,
    ) -> impl Future<Output = Answer<ProductUnits>> + Send {
        let units: Vec<ListedUnit> = products
            .iter()
            .flat_map(|sku| {
                self.by_serial()
                    .into_iter()
                    .filter(move |unit| unit.device.sku == *sku)
                    .filter(move |unit| owner.is_none() || unit.device.customer_id == owner)
            })
            .map(UnitRecord::listed)
            .collect();
        let (open, shown): (Vec<_>, Vec<_>) =
            units.into_iter().partition(|unit| unit.has_open_return);
        ready(Ok(ProductUnits {
            shown: shown.len() as u64,
            with_open_return: open.len() as u64,
            units: first(shown.into_iter(), limit),
        }))
    }
}

impl CustomerReader for Memory {
    fn customer(&self, id: CustomerId) -> impl Future<Output = Answer<Option<Customer>>> + Send {
        let found = self
            .customers
            .iter()
            .find(|(customer, _)| customer.id == id);
        ready(Ok(found.map(|(customer, _)| customer.clone())))
    }
}

impl CustomerSearch for Memory {
    fn customers_named(
        &self,
        probe: &TextProbe,
        limit: u32,
    ) -> impl Future<Output = Answer<Vec<Customer>>> + Send {
        let found = self.customers.iter().map(|(customer, _)| customer);
        let found = found.filter(|customer| self.finds(probe, customer.name.as_str()));
        ready(Ok(first(found.cloned(), limit)))
    }

    fn customers_with_phone(
        &self,
        probe: &PhoneProbe,
        limit: u32,
    ) -> impl Future<Output = Answer<Vec<Customer>>> + Send {
        let found = self
            .customers
            .iter()
            .map(|(customer, _)| customer)
            .filter(|customer| {
                let number = customer.phone_number.as_ref();
                number.is_some_and(|number| probe.finds(number.as_str()))
            });
        ready(Ok(first(found.cloned(), limit)))
    }

    fn customer_with_email(
        &self,
        email: &EmailAddress,
    ) -> impl Future<Output = Answer<Option<Customer>>> + Send {
        let mut found = self.customers.iter().map(|(customer, _)| customer);
        ready(Ok(found
            .find(|customer| customer.email.key() == email.key())
            .cloned()))
    }

    fn customer_with_external_id(
        &self,
        id: &ExternalId,
    ) -> impl Future<Output = Answer<Option<Customer>>> + Send {
        let mut found = self.customers.iter().map(|(customer, _)| customer);
        ready(Ok(found
            .find(|customer| customer.external_id.as_ref() == Some(id))
            .cloned()))
    }
}

impl AddressReader for Memory {
    fn addresses_of(
        &self,
        id: CustomerId,
    ) -> impl Future<Output = Answer<Option<Vec<Address>>>> + Send {
        let found = self
            .customers
            .iter()
            .find(|(customer, _)| customer.id == id);
        ready(Ok(found.map(|(_, addresses)| addresses.clone())))
    }

    fn address_counts(&self, ids: &[CustomerId]) -> impl Future<Output = Answer<Vec<u32>>> + Send {
        let count = |id: &CustomerId| {
            let found = self
                .customers
                .iter()
                .find(|(customer, _)| customer.id == *id);
            found.map_or(0, |(_, addresses)| addresses.len() as u32)
        };
        ready(Ok(ids.iter().map(count).collect()))
    }
}
