//! Refusals of the `warranty` toolset. Most bad news of this toolset is an ordinary answer; only what
//! names something by its id and does not exist is refused.

use crate::warranty::UnknownTier;
use crate::{CustomerId, StoreError};

/// A valid request that the rules turn down.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum WarrantyRefusal {
    /// No unit has this id. The id is not repeated: it names a customer's unit.
    #[error(
        "No unit has this deviceId. Use find_device with the number on the unit's label to get the deviceId."
    )]
    DeviceNotFound,
    /// No customer has this id.
    #[error("Customer {customer_id} was not found.")]
    CustomerNotFound {
        /// As asked.
        customer_id: CustomerId,
    },
}

impl WarrantyRefusal {
    /// The code for programs, sent beside the text.
    #[must_use]
    pub fn code(&self) -> &'static str {
        match self {
            Self::DeviceNotFound => "DEVICE_NOT_FOUND",
            Self::CustomerNotFound { .. } => "CUSTOMER_NOT_FOUND",
        }
    }
}

/// Why a use case gave no result.
#[derive(Debug, thiserror::Error)]
pub enum WarrantyDeskError {
    /// The rules say no: an answer for the caller to read.
    #[error(transparent)]
    Refused(#[from] WarrantyRefusal),
    /// The store failed: something for the operator.
    #[error(transparent)]
    Fault(#[from] StoreError),
    /// The configuration does not fit the data: something for the operator.
    #[error(transparent)]
    Misconfigured(#[from] UnknownTier),
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_texts_are_word_for_word() {
        let customer_id = CustomerId::new("CUST-00001").unwrap();
        for (refusal, code, text) in [
            (
                WarrantyRefusal::DeviceNotFound,
                "DEVICE_NOT_FOUND",
                "No unit has this deviceId. Use find_device with the number on the unit's label to get the deviceId.",
            ),
            (
                WarrantyRefusal::CustomerNotFound { customer_id },
                "CUSTOMER_NOT_FOUND",
                "Customer CUST-00001 was not found.",
            ),
        ] {
            assert_eq!((refusal.code(), refusal.to_string().as_str()), (code, text));
        }
    }
}
