//! The fields of a customer.

use refund_domain::{
    CompanyName, Currency, Customer, CustomerId, CustomerStatus, EmailAddress, ExternalId,
    LanguageTag, PersonName, PhoneNumber, Timestamp,
};

use super::Entity;
use super::fields::{Fields, Pass};

impl Fields for Customer {
    const ENTITY: Entity = Entity::Customers;

    fn fields<P: Pass<Self>>(pass: &mut P) -> Option<Self> {
        let id = pass.text("customer_id", CustomerId::new, |c| c.id.to_string().into());
        let name = pass.text("name", PersonName::new, |c| c.name.as_str().into());
        let email = pass.text("email", EmailAddress::new, |c| c.email.as_str().into());
        let status = pass.text(
            "status",
            |word| CustomerStatus::from_word(word).ok_or("must be active or suspended"),
            |c| c.status.as_str().into(),
        );
        let currency = pass.text("currency", Currency::new, |c| {
            c.refundable_balance.currency().code().into()
        });
        // The balance now, after the refunds that are imported with it.
        let balance = pass.money("refundable_balance", currency, |c| c.refundable_balance);
        let created_at = pass.text("created_at", Timestamp::parse, |c| {
            c.created_at.to_string().into()
        });
        let external_id = pass.optional_text("external_id", ExternalId::new, |c| {
            Some(c.external_id.as_ref()?.as_str().into())
        });
        let phone_number = pass.optional_text("phone_number", PhoneNumber::new, |c| {
            Some(c.phone_number.as_ref()?.as_str().into())
        });
        let company = pass.optional_text("company", CompanyName::new, |c| {
            Some(c.company.as_ref()?.as_str().into())
        });
        let language = pass.optional_text("language", LanguageTag::new, |c| {
            Some(c.language.as_ref()?.as_str().into())
        });
        Some(Self {
            id: id?,
            name: name?,
            email: email?,
            status: status?,
            refundable_balance: balance?,
            created_at: created_at?,
            external_id,
            phone_number,
            company,
            language,
        })
    }
}
