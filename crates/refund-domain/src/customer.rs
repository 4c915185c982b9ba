//! The customer: one entity for every toolset (`docs/architecture.md`, one customer).

use std::fmt;

use crate::{
    CompanyName, CustomerId, EmailAddress, ExternalId, LanguageTag, Money, PersonName, PhoneNumber,
    Timestamp,
};

/// A customer as a store holds it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Customer {
    /// The id.
    pub id: CustomerId,
    /// Full name.
    pub name: PersonName,
    /// E-mail address as it was entered; unique without regard to case.
    pub email: EmailAddress,
    /// Whether refunds may be made.
    pub status: CustomerStatus,
    /// What can still be refunded; its currency is the customer's.
    pub refundable_balance: Money,
    /// When the account was made.
    pub created_at: Timestamp,
    /// The customer's number in another system, unique where there is one.
    pub external_id: Option<ExternalId>,
    /// Telephone number.
    pub phone_number: Option<PhoneNumber>,
    /// Company.
    pub company: Option<CompanyName>,
    /// Preferred language.
    pub language: Option<LanguageTag>,
}

/// Whether a customer may get refunds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum CustomerStatus {
    /// Refunds may be made.
    Active,
    /// No refunds; see [`crate::Refusal::CustomerSuspended`].
    Suspended,
}

impl CustomerStatus {
    /// All of them, in the order the schemas publish.
    pub const ALL: [Self; 2] = [Self::Active, Self::Suspended];

    /// The word on the wire, in data files and in the database.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Active => "active",
            Self::Suspended => "suspended",
        }
    }

    /// The status of a word; `None` for any other word.
    #[must_use]
    pub fn from_word(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|status| status.as_str() == word)
    }
}

impl fmt::Display for CustomerStatus {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}
