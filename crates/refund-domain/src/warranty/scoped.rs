//! The readers of warranties as they are for a caller who is bound to one customer.
//!
//! *Invariant:* what a desk over a [`Scoped`] reader tells of units, customers and addresses belongs to
//! that customer. Units that belong to nobody known do not exist either. Products are everybody's.

use crate::ports::{CustomerReader, Scoped};
use crate::warranty::{
    Address, AddressReader, CustomerSearch, Device, DeviceProduct, DeviceReader, ListedUnit,
    NormalForm, PhoneProbe, ProductField, ProductSearch, ProductUnits, SerialNumber, TextProbe,
    UnitRecord,
};
use crate::{Customer, CustomerId, EmailAddress, ExternalId, PhoneNumber, Sku, StoreError};

impl<S> Scoped<S> {
    fn shows_unit(&self, device: &Device) -> bool {
        self.only.is_none() || self.only == device.customer_id
    }
}

impl<S: DeviceReader> DeviceReader for Scoped<S> {
    async fn unit(&self, serial: &SerialNumber) -> Result<Option<UnitRecord>, StoreError> {
        // Asked all the same, so that what is hidden takes as long as what is not there.
        let found = self.store.unit(serial).await?;
        Ok(found.filter(|unit| self.shows_unit(&unit.device)))
    }

    async fn units_identified(
        &self,
        form: &NormalForm,
        limit: u32,
    ) -> Result<Vec<UnitRecord>, StoreError> {
        let mut found = self.store.units_identified(form, limit).await?;
        found.retain(|unit| self.shows_unit(&unit.device));
        Ok(found)
    }

    async fn units_near(
        &self,
        form: &NormalForm,
        limit: u32,
    ) -> Result<Vec<ListedUnit>, StoreError> {
        let mut found = self.store.units_near(form, limit).await?;
        found.retain(|unit| self.shows_unit(&unit.device));
        Ok(found)
    }
}

impl<S: ProductSearch> ProductSearch for Scoped<S> {
    async fn products_like(
        &self,
        field: ProductField,
        probe: &TextProbe,
        limit: u32,
    ) -> Result<Vec<DeviceProduct>, StoreError> {
        self.store.products_like(field, probe, limit).await
    }

    async fn units_of(
        &self,
        products: &[Sku],
        owner: Option<CustomerId>,
        limit: u32,
    ) -> Result<ProductUnits, StoreError> {
        self.store
            .units_of(products, self.only.or(owner), limit)
            .await
    }
}

impl<S: CustomerSearch + CustomerReader> CustomerSearch for Scoped<S> {
    async fn customers_named(
        &self,
        probe: &TextProbe,
        limit: u32,
    ) -> Result<Vec<Customer>, StoreError> {
        match self.only {
            None => self.store.customers_named(probe, limit).await,
            Some(only) => {
                let found = self.store.customer(only).await?.into_iter();
                let named = found.filter(|customer| probe.finds(customer.name.as_str()));
                Ok(named.collect())
            }
        }
    }

    async fn customers_with_phone(
        &self,
        probe: &PhoneProbe,
        limit: u32,
    ) -> Result<Vec<Customer>, StoreError> {
        match self.only {
            None => self.store.customers_with_phone(probe, limit).await,
            Some(only) => {
                let found = self.store.customer(only).await?.into_iter();
                let number = |customer: &Customer| {
                    let number = customer.phone_number.as_ref().map(PhoneNumber::as_str);
                    number.is_some_and(|number| probe.finds(number))
                };
                Ok(found.filter(number).collect())
            }
        }
    }

    async fn customer_with_email(
        &self,
        email: &EmailAddress,
    ) -> Result<Option<Customer>, StoreError> {
        let found = self.store.customer_with_email(email).await?;
        Ok(found.filter(|customer| self.shows(customer.id)))
    }

    async fn customer_with_external_id(
        &self,
        id: &ExternalId,
    ) -> Result<Option<Customer>, StoreError> {
        let found = self.store.customer_with_external_id(id).await?;
        Ok(found.filter(|customer| self.shows(customer.id)))
    }
}

impl<S: AddressReader> AddressReader for Scoped<S> {
    async fn addresses_of(&self, id: CustomerId) -> Result<Option<Vec<Address>>, StoreError> {
        let found = self.store.addresses_of(id).await?;
        Ok(found.filter(|_| self.shows(id)))
    }

    async fn address_counts(&self, ids: &[CustomerId]) -> Result<Vec<u32>, StoreError> {
        let mut counts = self.store.address_counts(ids).await?;
        for (count, id) in counts.iter_mut().zip(ids) {
            if !self.shows(*id) {
                *count = 0;
            }
        }
        Ok(counts)
    }
}
