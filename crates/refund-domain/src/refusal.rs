//! Refusals: business answers that the caller reads. The texts are a contract, clients match on
//! them; the codes are for programs.

use rust_decimal::Decimal;

use crate::{Currency, CustomerId, IdempotencyKey, Money, RefundId, ToolName};

/// A valid request that the rules turn down. Nothing was moved.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Refusal {
    /// No such customer, or none that this caller may see.
    #[error("Customer {customer_id} was not found.")]
    CustomerNotFound {
        /// As asked.
        customer_id: CustomerId,
    },
    /// The customer is not active.
    #[error("Customer {customer_id} is suspended. Refunds are only issued to active customers.")]
    CustomerSuspended {
        /// As asked.
        customer_id: CustomerId,
    },
    /// The customer's currency has fewer decimals than the amount.
    #[error(
        "{} cannot be refunded in {currency}, which has {}.",
        plain(amount),
        places(currency)
    )]
    CurrencyPrecision {
        /// As asked.
        amount: Decimal,
        /// The customer's.
        currency: Currency,
    },
    /// More than can still be refunded.
    #[error(
        "Refund of {amount} exceeds the refundable balance of {balance} for customer {customer_id}."
    )]
    ExceedsBalance {
        /// As asked.
        amount: Money,
        /// What can still be refunded.
        balance: Money,
        /// As asked.
        customer_id: CustomerId,
    },
    /// No refund has this id or was made with this key by this caller.
    #[error("{0} was not found.")]
    RefundNotFound(RefundName),
    /// The key was used before, for something else.
    #[error(
        "Idempotency key {key} was already used for {earlier}. To retry that call, send exactly its arguments; for a new decision, use a new key."
    )]
    IdempotencyConflict {
        /// As sent.
        key: IdempotencyKey,
        /// What it was used for.
        earlier: EarlierUse,
    },
}

/// How a refund was asked for.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum RefundName {
    /// By its id.
    #[error("Refund {0}")]
    Id(RefundId),
    /// By the key it was made with.
    #[error("A refund with idempotency key {0}")]
    Key(IdempotencyKey),
}

/// What an idempotency key was used for before.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum EarlierUse {
    /// A refund.
    #[error("refund {refund_id} of {amount} to customer {customer_id}")]
    Refund {
        /// The earlier refund.
        refund_id: RefundId,
        /// Its amount.
        amount: Money,
        /// Its customer.
        customer_id: CustomerId,
    },
    /// A call of another tool; a key belongs to one tool. Also a call of which the caller may not know
    /// more.
    #[error("a call of {0}")]
    OtherTool(ToolName),
}

impl Refusal {
    /// The code for programs, sent beside the text.
    #[must_use]
    pub fn code(&self) -> &'static str {
        match self {
            Self::CustomerNotFound { .. } => "CUSTOMER_NOT_FOUND",
            Self::CustomerSuspended { .. } => "CUSTOMER_SUSPENDED",
            Self::CurrencyPrecision { .. } => "CURRENCY_PRECISION",
            Self::ExceedsBalance { .. } => "EXCEEDS_BALANCE",
            Self::RefundNotFound(_) => "REFUND_NOT_FOUND",
            Self::IdempotencyConflict { .. } => "IDEMPOTENCY_CONFLICT",
        }
    }
}

/// A decimal as people write money: no trailing zeros beyond two decimals, and never fewer than two.
fn plain(amount: &Decimal) -> String {
    let mut value = amount.normalize();
    if value.scale() < 2 {
        value.rescale(2);
    }
    value.to_string()
}

fn places(currency: &Currency) -> String {
    match currency.exponent() {
        0 => "no decimal places".to_owned(),
        1 => "1 decimal place".to_owned(),
        places => format!("{places} decimal places"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_texts_are_word_for_word() {
        let customer_id = CustomerId::new("CUST-00001").unwrap();
        let usd = |minor| Money::from_minor(minor, Currency::new("USD").unwrap()).unwrap();
        let precision = |amount: &str, code| Refusal::CurrencyPrecision {
            amount: amount.parse().unwrap(),
            currency: Currency::new(code).unwrap(),
        };
        for (refusal, text) in [
            (
                Refusal::CustomerNotFound { customer_id },
                "Customer CUST-00001 was not found.",
            ),
            (
                Refusal::CustomerSuspended { customer_id },
                "Customer CUST-00001 is suspended. Refunds are only issued to active customers.",
            ),
            (
                Refusal::ExceedsBalance {
                    amount: usd(60_000),
                    balance: usd(50_000),
                    customer_id,
                },
                "Refund of 600.00 USD exceeds the refundable balance of 500.00 USD for customer CUST-00001.",
            ),
            (
                precision("10.5", "JPY"),
                "10.50 cannot be refunded in JPY, which has no decimal places.",
            ),
            (
                precision("1.2555", "KWD"),
                "1.2555 cannot be refunded in KWD, which has 3 decimal places.",
            ),
            (
                precision("1.2550", "USD"),
                "1.255 cannot be refunded in USD, which has 2 decimal places.",
            ),
        ] {
            assert_eq!(refusal.to_string(), text);
        }
    }
}
