//! The fields of an address.

use refund_domain::CustomerId;
use refund_domain::warranty::{Address, AddressLine, CountryCode, PostalCode};

use super::Entity;
use super::fields::{Fields, Pass};

/// An address in a file, with whose it is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct AddressRecord {
    pub(crate) customer_id: CustomerId,
    pub(crate) address: Address,
}

impl Fields for AddressRecord {
    const ENTITY: Entity = Entity::Addresses;

    fn fields<P: Pass<Self>>(pass: &mut P) -> Option<Self> {
        let customer_id = pass.text("customer_id", CustomerId::new, |a| {
            a.customer_id.to_string().into()
        });
        let label = pass.optional_text("label", AddressLine::new, |a| {
            Some(a.address.label.as_ref()?.as_str().into())
        });
        let line1 = pass.text("line1", AddressLine::new, |a| {
            a.address.line1.as_str().into()
        });
        let line2 = pass.optional_text("line2", AddressLine::new, |a| {
            Some(a.address.line2.as_ref()?.as_str().into())
        });
        let line3 = pass.optional_text("line3", AddressLine::new, |a| {
            Some(a.address.line3.as_ref()?.as_str().into())
        });
        let city = pass.text("city", AddressLine::new, |a| a.address.city.as_str().into());
        let state_or_province = pass.optional_text("state_or_province", AddressLine::new, |a| {
            Some(a.address.state_or_province.as_ref()?.as_str().into())
        });
        let postal_code = pass.text("postal_code", PostalCode::new, |a| {
            a.address.postal_code.as_str().into()
        });
        let country_code = pass.text("country_code", CountryCode::new, |a| {
            a.address.country_code.as_str().into()
        });
        let is_default = pass.optional_flag("is_default", |a| a.address.is_default);
        Some(Self {
            customer_id: customer_id?,
            address: Address {
                label,
                line1: line1?,
                line2,
                line3,
                city: city?,
                state_or_province,
                postal_code: postal_code?,
                country_code: country_code?,
                is_default: is_default.unwrap_or(false),
            },
        })
    }
}
