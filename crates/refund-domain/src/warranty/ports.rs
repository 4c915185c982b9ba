//! What a store must offer to the warranty desk: readers, and nothing that writes.
//!
//! Every order is by the characters' numbers (`BINARY`, `COLLATE "C"`), so that answers are the same
//! on every store. Absent is `Ok(None)` or an empty list, never an error.
//!
//! # What a store indexes
//!
//! | for | columns |
//! | --- | --- |
//! | identifiers | each of [`Device::identifiers`](crate::warranty::Device::identifiers) with its [`NormalForm`] and its [`LookAlikeKey`](crate::warranty::LookAlikeKey), both indexed, neither unique |
//! | units | the serial number to the letter (unique); the product's number; the owner; open returns by serial number |
//! | products | by each [`ProductField`]: [`search_keys`](crate::warranty::search_keys), one row a key, and the [`squash`](crate::warranty::squash)ed text |
//! | customers | of the name: [`search_keys`](crate::warranty::search_keys) and the squashed text; [`EmailAddress::key`]; the external id; [`PhoneKey`](crate::warranty::PhoneKey) |
//!
//! With these, candidates are complete by construction ([`crate::warranty::candidates`]).

use crate::warranty::{
    Address, DeviceProduct, ListedUnit, NormalForm, PhoneProbe, SerialNumber, TextProbe, UnitRecord,
};
use crate::{Customer, CustomerId, EmailAddress, ExternalId, Sku, StoreError};

/// Reads units.
pub trait DeviceReader: Send + Sync {
    /// The unit with this serial number, to the letter.
    fn unit(
        &self,
        serial: &SerialNumber,
    ) -> impl Future<Output = Result<Option<UnitRecord>, StoreError>> + Send;

    /// The units one of whose identifiers has this normal form, by serial number, each once, at most
    /// `limit`.
    fn units_identified(
        &self,
        form: &NormalForm,
        limit: u32,
    ) -> impl Future<Output = Result<Vec<UnitRecord>, StoreError>> + Send;

    /// The units one of whose identifiers has a normal form among [`NormalForm::one_edit_variants`] or
    /// the same [`NormalForm::look_alike_key`], by serial number, each once, at most `limit`.
    fn units_near(
        &self,
        form: &NormalForm,
        limit: u32,
    ) -> impl Future<Output = Result<Vec<ListedUnit>, StoreError>> + Send;
}

/// The texts of a product that are searched.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum ProductField {
    /// Its number.
    Sku,
    /// [`DeviceProduct::model_or_name`].
    Model,
    /// Its name.
    Name,
}

impl ProductField {
    /// All of them, the narrowest first.
    pub const ALL: [Self; 3] = [Self::Sku, Self::Model, Self::Name];

    /// The field's text of a product.
    #[must_use]
    pub fn of(self, product: &DeviceProduct) -> &str {
        match self {
            Self::Sku => product.sku.as_str(),
            Self::Model => product.model_or_name(),
            Self::Name => product.name.as_str(),
        }
    }
}

/// Units of some products.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ProductUnits {
    /// How many have no open return.
    pub shown: u64,
    /// How many have one.
    pub with_open_return: u64,
    /// Those without an open return, in the order asked for.
    pub units: Vec<ListedUnit>,
}

/// Searches products and lists their units.
pub trait ProductSearch: Send + Sync {
    /// The products whose field the probe finds, in any order, at most `limit`.
    fn products_like(
        &self,
        field: ProductField,
        probe: &TextProbe,
        limit: u32,
    ) -> impl Future<Output = Result<Vec<DeviceProduct>, StoreError>> + Send;

    /// The units of these products, of every owner or of this one: how many there are, and at most
    /// `limit` without an open return, in the order of the products as given, those of one product by
    /// serial number.
    fn units_of(
        &self,
        products: &[Sku],
        owner: Option<CustomerId>,
        limit: u32,
    ) -> impl Future<Output = Result<ProductUnits, StoreError>> + Send;
}

/// Searches customers.
pub trait CustomerSearch: Send + Sync {
    /// The customers whose name the probe finds, in any order, at most `limit`.
    fn customers_named(
        &self,
        probe: &TextProbe,
        limit: u32,
    ) -> impl Future<Output = Result<Vec<Customer>, StoreError>> + Send;

    /// The customers whose telephone number the probe finds, in any order, at most `limit`.
    fn customers_with_phone(
        &self,
        probe: &PhoneProbe,
        limit: u32,
    ) -> impl Future<Output = Result<Vec<Customer>, StoreError>> + Send;

    /// The customer with this address, compared by [`EmailAddress::key`].
    fn customer_with_email(
        &self,
        email: &EmailAddress,
    ) -> impl Future<Output = Result<Option<Customer>, StoreError>> + Send;

    /// The customer with this external id, to the letter.
    fn customer_with_external_id(
        &self,
        id: &ExternalId,
    ) -> impl Future<Output = Result<Option<Customer>, StoreError>> + Send;
}

/// Reads addresses.
pub trait AddressReader: Send + Sync {
    /// A customer's addresses, in the order in which they were added; `None` where there is no such
    /// customer.
    fn addresses_of(
        &self,
        id: CustomerId,
    ) -> impl Future<Output = Result<Option<Vec<Address>>, StoreError>> + Send;

    /// How many addresses each of these customers has, in the order of the ids.
    fn address_counts(
        &self,
        ids: &[CustomerId],
    ) -> impl Future<Output = Result<Vec<u32>, StoreError>> + Send;
}

/// Everything that the warranty desk may ask. It names readers alone, so that the desk has no way to
/// write, whatever else a store can do.
pub trait WarrantyReader: DeviceReader + ProductSearch + CustomerSearch + AddressReader {}

impl<R: DeviceReader + ProductSearch + CustomerSearch + AddressReader> WarrantyReader for R {}
