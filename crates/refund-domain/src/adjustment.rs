//! Correcting a balance by hand, up or down: for people, never for a tool. Decided like a refund:
//! facts in, outcome and rule trace out.

use rust_decimal::Decimal;

use crate::settled::KeyUse;
use crate::{
    Caller, Currency, Customer, CustomerId, IdempotencyKey, Money, MoneyError, Principal, Reason,
    Timestamp, ToolName,
};

/// The command's name in the audit trail; the owner of its idempotency keys.
pub const TOOL: &str = "adjust_balance";

/// How much a balance is asked to change, before its currency is known: above or below zero.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct AdjustmentAmount(Decimal);

/// A text that is no [`AdjustmentAmount`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("an adjustment is digits with at most one point, with + or - before them, and not zero")]
pub struct AdjustmentAmountError;

impl AdjustmentAmount {
    /// Most characters of its text, so that no text costs more than a short one.
    const LONGEST: usize = 32;

    /// Checks a decimal.
    ///
    /// # Errors
    /// Zero.
    pub fn new(by: Decimal) -> Result<Self, AdjustmentAmountError> {
        if by.is_zero() {
            Err(AdjustmentAmountError)
        } else {
            Ok(Self(by))
        }
    }

    /// Reads digits with at most one point between them, after a sign or none: `25`, `+0.50`, `-12.75`.
    ///
    /// # Errors
    /// Anything else, and zero.
    pub fn parse(text: &str) -> Result<Self, AdjustmentAmountError> {
        let (sign, digits) = match text.strip_prefix('-') {
            Some(digits) => (-Decimal::ONE, digits),
            None => (Decimal::ONE, text.strip_prefix('+').unwrap_or(text)),
        };
        let (whole, fraction) = digits.split_once('.').unwrap_or((digits, "0"));
        let all_digits =
            |part: &str| !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit());
        if text.len() > Self::LONGEST || !all_digits(whole) || !all_digits(fraction) {
            return Err(AdjustmentAmountError);
        }
        let value = Decimal::from_str_exact(digits).map_err(|_| AdjustmentAmountError)?;
        Self::new(sign * value)
    }

    /// The decimal.
    #[must_use]
    pub fn decimal(self) -> Decimal {
        self.0
    }
}

/// The command a store executes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AdjustBalance {
    /// Whose balance.
    pub customer_id: CustomerId,
    /// By how much, in the customer's currency.
    pub by: AdjustmentAmount,
    /// Why.
    pub reason: Reason,
    /// The caller's own name for this correction.
    pub idempotency_key: Option<IdempotencyKey>,
    /// Who asks.
    pub caller: Caller,
    /// The present instant.
    pub at: Timestamp,
}

/// What must be known to decide, loaded under the lock under which the outcome is saved.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Facts {
    /// The customer, if there is one.
    pub customer: Option<Customer>,
    /// What the key was used for before, by the same principal.
    pub key_use: Option<KeyUse<Adjustment>>,
}

/// A correction that was made. Rows like this are never edited and never deleted.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Adjustment {
    /// Whose balance.
    pub customer_id: CustomerId,
    /// The balance just before it.
    pub before: Money,
    /// The balance just after it.
    pub after: Money,
    /// Why.
    pub reason: Reason,
    /// When.
    pub at: Timestamp,
    /// Who asked for it.
    pub principal: Principal,
}

impl Adjustment {
    /// By how many minor units the balance changed.
    #[must_use]
    pub fn by_minor(&self) -> i64 {
        // Both are between 0 and MAX_MINOR_UNITS, so that the difference fits.
        self.after.minor() - self.before.minor()
    }

    /// By how much the balance changed, with the currency's number of decimals.
    #[must_use]
    pub fn by(&self) -> Decimal {
        Decimal::new(self.by_minor(), u32::from(self.after.currency().exponent()))
    }
}

/// A valid correction that the rules turn down. Nothing was changed.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum AdjustmentRefusal {
    /// No such customer.
    #[error("Customer {customer_id} was not found.")]
    CustomerNotFound {
        /// As asked.
        customer_id: CustomerId,
    },
    /// The customer's currency has fewer decimals than the amount.
    #[error("A balance in {currency} cannot be adjusted by {}: {currency} has {} decimal places.", shown(*by, *currency), currency.exponent())]
    CurrencyPrecision {
        /// As asked.
        by: Decimal,
        /// The customer's.
        currency: Currency,
    },
    /// The balance would fall below zero.
    #[error("The balance of {balance} of customer {customer_id} cannot be adjusted by {}: it would fall below zero.", shown(*by, balance.currency()))]
    BalanceBelowZero {
        /// As asked.
        by: Decimal,
        /// As it is.
        balance: Money,
        /// As asked.
        customer_id: CustomerId,
    },
    /// The balance would be larger than any can be.
    #[error("The balance of {balance} of customer {customer_id} cannot be adjusted by {}: it would be larger than any balance can be.", shown(*by, balance.currency()))]
    BalanceTooLarge {
        /// As asked.
        by: Decimal,
        /// As it is.
        balance: Money,
        /// As asked.
        customer_id: CustomerId,
    },
    /// The key was used before, for another correction.
    #[error(
        "Idempotency key {key} was already used to adjust the balance of customer {customer_id} by {by}. To retry that, give exactly the same amount and reason; for another correction, use a new key."
    )]
    KeyUsed {
        /// As asked.
        key: IdempotencyKey,
        /// Whose balance was corrected.
        customer_id: CustomerId,
        /// By how much, with the currency's number of decimals.
        by: Decimal,
    },
    /// The key was used before, for something else than a correction.
    #[error("Idempotency key {key} was already used for a call of {tool}. Use a new key.")]
    KeyUsedByTool {
        /// As asked.
        key: IdempotencyKey,
        /// The tool.
        tool: ToolName,
    },
}

/// An amount with the currency's number of decimals, or with more if it has more.
fn shown(by: Decimal, currency: Currency) -> Decimal {
    let mut by = by.normalize();
    by.rescale(by.scale().max(u32::from(currency.exponent())));
    by
}

impl AdjustmentRefusal {
    /// The code for programs.
    #[must_use]
    pub fn code(&self) -> &'static str {
        match self {
            Self::CustomerNotFound { .. } => "CUSTOMER_NOT_FOUND",
            Self::CurrencyPrecision { .. } => "CURRENCY_PRECISION",
            Self::BalanceBelowZero { .. } => "BALANCE_BELOW_ZERO",
            Self::BalanceTooLarge { .. } => "BALANCE_TOO_LARGE",
            Self::KeyUsed { .. } | Self::KeyUsedByTool { .. } => "IDEMPOTENCY_CONFLICT",
        }
    }
}

/// A command's outcome, as a store persists and answers it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AdjustmentSettled {
    /// Rule names in the order they were asked.
    pub trace: Vec<&'static str>,
    /// The correction to save, or why there is none.
    pub outcome: Result<Adjustment, AdjustmentRefusal>,
    /// Whether the correction is that of an earlier call with the same key. Nothing is to be saved.
    pub replayed: bool,
}

impl AdjustmentSettled {
    /// The word in the audit trail: `adjusted`, `replayed`, or the refusal's code.
    #[must_use]
    pub fn as_str(&self) -> &'static str {
        match &self.outcome {
            Ok(_) if self.replayed => "replayed",
            Ok(_) => "adjusted",
            Err(refusal) => refusal.code(),
        }
    }
}

impl AdjustBalance {
    /// Decides. Pure: the same facts give the same outcome. The key is asked first, so that a retry
    /// gets its first answer whatever has happened since. A suspended customer's balance may be
    /// corrected: it is a person who does so, and no money leaves.
    #[must_use]
    pub fn settle(&self, facts: &Facts) -> AdjustmentSettled {
        if let Some(settled) = self.ask_key(facts.key_use.as_ref()) {
            return settled;
        }
        let mut trace = Vec::with_capacity(3);
        let outcome = self.judge(facts.customer.as_ref(), &mut trace);
        AdjustmentSettled {
            trace,
            outcome,
            replayed: false,
        }
    }

    fn ask_key(&self, key_use: Option<&KeyUse<Adjustment>>) -> Option<AdjustmentSettled> {
        let key = self.idempotency_key.clone()?;
        let refusal = match key_use? {
            KeyUse::ThisTool(earlier) if self.made(earlier) => {
                return Some(AdjustmentSettled {
                    trace: vec!["key.replay"],
                    outcome: Ok(earlier.clone()),
                    replayed: true,
                });
            }
            KeyUse::ThisTool(earlier) => AdjustmentRefusal::KeyUsed {
                key,
                customer_id: earlier.customer_id,
                by: earlier.by(),
            },
            KeyUse::OtherTool(tool) => AdjustmentRefusal::KeyUsedByTool {
                key,
                tool: tool.clone(),
            },
        };
        Some(AdjustmentSettled {
            trace: vec!["key.conflict"],
            outcome: Err(refusal),
            replayed: false,
        })
    }

    /// Whether an earlier correction is what is asked for now.
    fn made(&self, earlier: &Adjustment) -> bool {
        earlier.customer_id == self.customer_id
            && earlier.by() == self.by.decimal()
            && earlier.reason == self.reason
    }

    fn judge(
        &self,
        customer: Option<&Customer>,
        trace: &mut Vec<&'static str>,
    ) -> Result<Adjustment, AdjustmentRefusal> {
        let customer_id = self.customer_id;
        let Some(customer) = customer else {
            trace.push("customer.unknown");
            return Err(AdjustmentRefusal::CustomerNotFound { customer_id });
        };
        trace.push("customer.known");

        let balance = customer.refundable_balance;
        let currency = balance.currency();
        let by = self.by.decimal();
        let too_large = |trace: &mut Vec<&'static str>| {
            trace.push("balance.too_large");
            AdjustmentRefusal::BalanceTooLarge {
                by,
                balance,
                customer_id,
            }
        };
        let below_zero = |trace: &mut Vec<&'static str>| {
            trace.push("balance.below_zero");
            AdjustmentRefusal::BalanceBelowZero {
                by,
                balance,
                customer_id,
            }
        };
        let down = by.is_sign_negative();
        let size = match Money::from_decimal(by.abs(), currency) {
            Ok(size) => size,
            Err(MoneyError::Precision { .. }) => {
                trace.push("currency.precision");
                return Err(AdjustmentRefusal::CurrencyPrecision { by, currency });
            }
            // Larger than any balance.
            Err(_) if down => return Err(below_zero(trace)),
            Err(_) => return Err(too_large(trace)),
        };
        trace.push("currency.exact");
        let after = if down {
            balance.checked_sub(size).map_err(|_| below_zero(trace))?
        } else {
            balance.checked_add(size).map_err(|_| too_large(trace))?
        };
        trace.push("balance.in_range");
        Ok(Adjustment {
            customer_id,
            before: balance,
            after,
            reason: self.reason.clone(),
            at: self.at,
            principal: self.caller.principal.clone(),
        })
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::{CustomerStatus, EmailAddress, MAX_MINOR_UNITS, PersonName, Role};

    fn customer(status: CustomerStatus, minor: i64, currency: &str) -> Customer {
        let currency = Currency::new(currency).unwrap();
        Customer {
            id: CustomerId::new("CUST-00001").unwrap(),
            name: PersonName::new("Alice Johnson").unwrap(),
            email: EmailAddress::new("alice.johnson@example.com").unwrap(),
            status,
            refundable_balance: Money::from_minor(minor, currency).unwrap(),
            created_at: Timestamp::parse("2024-01-15T09:30:00Z").unwrap(),
            external_id: None,
            phone_number: None,
            company: None,
            language: None,
        }
    }

    fn command(by: &str) -> AdjustBalance {
        AdjustBalance {
            customer_id: CustomerId::new("CUST-00001").unwrap(),
            by: AdjustmentAmount::parse(by).unwrap(),
            reason: Reason::new("a correction by hand").unwrap(),
            idempotency_key: None,
            caller: Caller::new(Principal::new("local").unwrap(), Role::Agent),
            at: Timestamp::parse("2026-01-02T03:04:05Z").unwrap(),
        }
    }

    #[test]
    fn amounts_are_digits_with_a_sign() {
        for (text, value) in [("25", "25"), ("+0.50", "0.50"), ("-12.75", "-12.75")] {
            let amount = AdjustmentAmount::parse(text).unwrap();
            assert_eq!(amount.decimal(), value.parse().unwrap(), "{text}");
        }
        for text in [
            "",
            "-",
            "+",
            "0",
            "-0.00",
            ".5",
            "5.",
            "--1",
            "1e2",
            "1,5",
            " 1",
            "١",
            "123456789012345678901234567890123",
        ] {
            assert!(AdjustmentAmount::parse(text).is_err(), "{text:?}");
        }
    }

    #[test]
    fn decisions() {
        use CustomerStatus::{Active, Suspended};
        for (customer, by, code, after) in [
            (customer(Active, 5_000, "USD"), "10", "adjusted", 6_000),
            (customer(Suspended, 5_000, "USD"), "-50", "adjusted", 0),
            (
                customer(Active, 5_000, "USD"),
                "-50.01",
                "BALANCE_BELOW_ZERO",
                5_000,
            ),
            (
                customer(Active, 5_000, "USD"),
                "-99999999999999999999",
                "BALANCE_BELOW_ZERO",
                5_000,
            ),
            (
                customer(Active, MAX_MINOR_UNITS, "USD"),
                "0.01",
                "BALANCE_TOO_LARGE",
                MAX_MINOR_UNITS,
            ),
            (
                customer(Active, 1, "JPY"),
                "99999999999999999999",
                "BALANCE_TOO_LARGE",
                1,
            ),
            (
                customer(Active, 5_000, "JPY"),
                "0.5",
                "CURRENCY_PRECISION",
                5_000,
            ),
            (customer(Active, 5_000, "JPY"), "5.00", "adjusted", 5_005),
            (customer(Active, 1, "CLF"), "-0.0001", "adjusted", 0),
        ] {
            let settled = command(by).settle(&of(Some(&customer)));
            assert_eq!(settled.as_str(), code, "{by}");
            if let Ok(adjustment) = settled.outcome {
                assert_eq!(adjustment.after.minor(), after, "{by}");
                assert_eq!(adjustment.by(), by.parse().unwrap());
            }
        }
        assert_eq!(
            command("1").settle(&of(None)).as_str(),
            "CUSTOMER_NOT_FOUND"
        );
    }

    fn of(customer: Option<&Customer>) -> Facts {
        Facts {
            customer: customer.cloned(),
            key_use: None,
        }
    }

    #[test]
    fn a_key_gives_its_first_answer_or_a_conflict() {
        let rich = customer(CustomerStatus::Active, 5_000, "USD");
        let with_key = |by: &str| AdjustBalance {
            idempotency_key: Some(IdempotencyKey::new("K").unwrap()),
            ..command(by)
        };
        let first = with_key("10").settle(&of(Some(&rich)));
        assert_eq!((first.as_str(), first.replayed), ("adjusted", false));
        let earlier = first.outcome.unwrap();
        // The customer is gone by then, and the retry gets its answer all the same.
        let used = |key_use| Facts {
            customer: None,
            key_use: Some(key_use),
        };
        let again = with_key("10.00").settle(&used(KeyUse::ThisTool(earlier.clone())));
        assert_eq!(
            (again.as_str(), again.trace),
            ("replayed", vec!["key.replay"])
        );
        assert_eq!(again.outcome, Ok(earlier.clone()));
        let mut others = [with_key("11"), with_key("10"), with_key("-10")];
        others[1].reason = Reason::new("another reason").unwrap();
        for other in others {
            let settled = other.settle(&used(KeyUse::ThisTool(earlier.clone())));
            assert_eq!(settled.as_str(), "IDEMPOTENCY_CONFLICT");
            let text = settled.outcome.unwrap_err().to_string();
            assert!(text.contains("CUST-00001 by 10.00. To retry"), "{text}");
        }
        let tool = ToolName::new("trigger_refund").unwrap();
        let settled = with_key("10").settle(&used(KeyUse::OtherTool(tool)));
        assert_eq!(
            settled.outcome.unwrap_err().to_string(),
            "Idempotency key K was already used for a call of trigger_refund. Use a new key."
        );
        // Without a key nothing is asked.
        let settled = command("10").settle(&of(Some(&rich)));
        assert_eq!(settled.as_str(), "adjusted");
    }

    #[test]
    fn the_texts_are_word_for_word() {
        let yen = customer(CustomerStatus::Active, 5_000, "JPY");
        let dollars = customer(CustomerStatus::Active, 5_000, "USD");
        for (of_whom, by, text) in [
            (
                &yen,
                "0.50",
                "A balance in JPY cannot be adjusted by 0.5: JPY has 0 decimal places.",
            ),
            (
                &dollars,
                "-50.1",
                "The balance of 50.00 USD of customer CUST-00001 cannot be adjusted by -50.10: it would fall below zero.",
            ),
            (
                &yen,
                "-5001",
                "The balance of 5000 JPY of customer CUST-00001 cannot be adjusted by -5001: it would fall below zero.",
            ),
            (
                &yen,
                "999999999999999",
                "The balance of 5000 JPY of customer CUST-00001 cannot be adjusted by 999999999999999: it would be larger than any balance can be.",
            ),
        ] {
            let refusal = command(by).settle(&of(Some(of_whom))).outcome.unwrap_err();
            assert_eq!(refusal.to_string(), text);
        }
    }

    proptest! {
        /// The new balance is the old one and the change, to the last unit, or nothing changes.
        #[test]
        fn nothing_is_lost(minor in 0..=MAX_MINOR_UNITS, by in -MAX_MINOR_UNITS..=MAX_MINOR_UNITS) {
            prop_assume!(by != 0);
            let customer = customer(CustomerStatus::Active, minor, "USD");
            let mut command = command("1");
            command.by = AdjustmentAmount::new(Decimal::new(by, 2)).unwrap();
            match command.settle(&of(Some(&customer))).outcome {
                Ok(adjustment) => prop_assert_eq!(adjustment.after.minor(), minor + by),
                Err(_) => prop_assert!(!(0..=MAX_MINOR_UNITS).contains(&(minor + by))),
            }
        }
    }
}
