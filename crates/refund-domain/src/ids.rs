//! Identifiers: a text or number that was checked once and is compared as a whole.

use std::fmt;
use std::str::FromStr;

use uuid::Uuid;

/// The customer's id: `CUST-` and five ASCII digits.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct CustomerId([u8; 5]);

/// The refund's id: a UUID, version 4 for those made here.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct RefundId(Uuid);

/// The return's id: a UUID, version 4 for those made here.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ReturnId(Uuid);

/// A text that is not an id of its kind.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum IdError {
    /// Not a [`CustomerId`].
    #[error("a customer id is CUST- and five digits, such as CUST-00001")]
    Customer,
    /// Not a [`RefundId`].
    #[error("a refund id is a UUID, such as 3f2c9f0e-5f43-4d3e-9a51-0c9b7d1d2e4f")]
    Refund,
    /// Not a [`ReturnId`].
    #[error("a return id is a UUID, such as 3f2c9f0e-5f43-4d3e-9a51-0c9b7d1d2e4f")]
    Return,
}

impl CustomerId {
    /// The pattern as the schemas publish it. ASCII digits only.
    pub const PATTERN: &'static str = "^CUST-[0-9]{5}$";

    /// Checks a text.
    ///
    /// # Errors
    /// Anything but `CUST-` and five ASCII digits: other case, blanks, other digits.
    pub fn new(text: &str) -> Result<Self, IdError> {
        text.strip_prefix("CUST-")
            .and_then(|digits| <[u8; 5]>::try_from(digits.as_bytes()).ok())
            .filter(|digits| digits.iter().all(u8::is_ascii_digit))
            .map(Self)
            .ok_or(IdError::Customer)
    }

    /// The number behind the prefix, 0 to 99,999.
    #[must_use]
    pub fn number(self) -> u32 {
        self.0
            .iter()
            .fold(0, |number, digit| number * 10 + u32::from(digit - b'0'))
    }
}

impl fmt::Display for CustomerId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "CUST-{:05}", self.number())
    }
}

impl fmt::Debug for CustomerId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl FromStr for CustomerId {
    type Err = IdError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        Self::new(text)
    }
}

macro_rules! uuid_id {
    ($name:ident, $error:expr) => {
        impl $name {
            /// The id of a UUID that an id source made.
            #[must_use]
            pub fn from_uuid(uuid: Uuid) -> Self {
                Self(uuid)
            }

            /// Checks a text: the hyphenated form, in either case.
            ///
            /// # Errors
            /// Anything else, braces and the URN form included.
            pub fn new(text: &str) -> Result<Self, IdError> {
                if text.len() != uuid::fmt::Hyphenated::LENGTH {
                    return Err($error);
                }
                Uuid::try_parse(text).map(Self).map_err(|_| $error)
            }

            /// The UUID.
            #[must_use]
            pub fn as_uuid(self) -> Uuid {
                self.0
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                fmt::Display::fmt(&self.0, f)
            }
        }

        impl FromStr for $name {
            type Err = IdError;

            fn from_str(text: &str) -> Result<Self, Self::Err> {
                Self::new(text)
            }
        }
    };
}

uuid_id!(RefundId, IdError::Refund);
uuid_id!(ReturnId, IdError::Return);

#[cfg(test)]
mod tests {
    use super::*;

    // Case R-035.
    #[test]
    fn customer_ids_are_taken_to_the_letter() {
        for text in ["CUST-00001", "CUST-99999", "CUST-00000"] {
            assert_eq!(
                CustomerId::new(text).map(|id| id.to_string()),
                Ok(text.to_owned())
            );
        }
        for text in [
            "cust-00001",
            "CUST-00001 ",
            " CUST-00001",
            "CUST-000001",
            "CUST-0001",
            "CUST-0000a",
            "CUST-+0001",
            "CUST-٠٠٠٠١",
            "CUST-00001\n",
            "",
        ] {
            assert_eq!(CustomerId::new(text), Err(IdError::Customer), "{text:?}");
        }
    }

    #[test]
    fn refund_ids_are_hyphenated_uuids() {
        let text = "3f2c9f0e-5f43-4d3e-9a51-0c9b7d1d2e4f";
        assert_eq!(
            RefundId::new(text).map(|id| id.to_string()),
            Ok(text.to_owned())
        );
        assert!(RefundId::new(&text.to_uppercase()).is_ok());
        for text in [
            "",
            "x",
            "3f2c9f0e5f434d3e9a510c9b7d1d2e4f",
            "{3f2c9f0e-5f43-4d3e-9a51-0c9b7d1d2e4f}",
        ] {
            assert_eq!(RefundId::new(text), Err(IdError::Refund), "{text:?}");
        }
    }
}
