//! A refund, and the one function that decides about it.

use rust_decimal::Decimal;

use crate::refusal::EarlierUse;
use crate::{
    Caller, Customer, CustomerId, CustomerStatus, IdempotencyKey, Money, Principal, Reason,
    RefundId, Refusal, Timestamp, ToolName,
};

/// The tool that makes refunds; the owner of their idempotency keys.
pub const TOOL: &str = "trigger_refund";

/// A refund that was made. Rows like this are never edited and never deleted.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Refund {
    /// The id.
    pub id: RefundId,
    /// Who got it.
    pub customer_id: CustomerId,
    /// How much.
    pub amount: Money,
    /// Why.
    pub reason: Reason,
    /// Where it stands.
    pub status: RefundStatus,
    /// When it was made.
    pub processed_at: Timestamp,
    /// The customer's refundable balance just after it.
    pub remaining_refundable_balance: Money,
    /// Who asked for it.
    pub principal: Principal,
    /// The key it was made with; belongs to the principal.
    pub idempotency_key: Option<IdempotencyKey>,
}

/// Where a refund stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum RefundStatus {
    /// The balance was reduced.
    Processed,
}

impl RefundStatus {
    /// All of them.
    pub const ALL: [Self; 1] = [Self::Processed];

    /// The word on the wire, in data files and in the database.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Processed => "processed",
        }
    }

    /// The status of a word; `None` for any other word.
    #[must_use]
    pub fn from_word(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|status| status.as_str() == word)
    }
}

/// An amount somebody asks for, before its currency is known: above 0 and at most 1,000,000.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RefundAmount(Decimal);

/// A decimal that is no [`RefundAmount`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("a refund's amount must be greater than 0 and at most 1000000")]
pub struct RefundAmountError;

impl RefundAmount {
    /// The largest.
    pub const MOST: Decimal = Decimal::from_parts(1_000_000, 0, 0, false, 0);

    /// Checks a decimal.
    ///
    /// # Errors
    /// Zero, negative, or above [`RefundAmount::MOST`].
    pub fn new(amount: Decimal) -> Result<Self, RefundAmountError> {
        if amount > Decimal::ZERO && amount <= Self::MOST {
            Ok(Self(amount))
        } else {
            Err(RefundAmountError)
        }
    }

    /// The decimal.
    #[must_use]
    pub fn decimal(self) -> Decimal {
        self.0
    }
}

/// What somebody asks for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RefundRequest {
    /// Who shall get it.
    pub customer_id: CustomerId,
    /// How much, in the customer's currency.
    pub amount: RefundAmount,
    /// Why.
    pub reason: Reason,
    /// The caller's own name for this refund.
    pub idempotency_key: Option<IdempotencyKey>,
}

/// The command a store executes: the request with everything that came in from outside.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct IssueRefund {
    /// What is asked for.
    pub request: RefundRequest,
    /// Who asks.
    pub caller: Caller,
    /// The id of the refund, should it be made.
    pub refund_id: RefundId,
    /// The present instant.
    pub at: Timestamp,
}

/// What must be known to decide, loaded under the lock under which the outcome is saved.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Facts {
    /// The customer asked for, if there is one.
    pub customer: Option<Customer>,
    /// What the request's key was used for before, by the same principal.
    pub key_use: Option<KeyUse>,
}

/// What an idempotency key was used for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum KeyUse {
    /// This refund.
    Refund(Refund),
    /// A call of another tool, or of this one for somebody who does not exist for the caller.
    OtherTool(ToolName),
}

/// The outcome of [`decide`], and the rules that led to it in the order they were asked.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Decision {
    /// Rule names, such as `customer.active`; the last one decided.
    pub trace: Vec<&'static str>,
    /// What to do.
    pub verdict: Verdict,
}

/// What to do with a request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Verdict {
    /// Reduce the balance.
    Grant {
        /// By this.
        amount: Money,
        /// To this.
        remaining: Money,
    },
    /// Move nothing; answer with the refund that was made before.
    Replay(Refund),
    /// Move nothing; say why.
    Refuse(Refusal),
}

/// A command's outcome, as a store persists and answers it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Settled {
    /// Rule names in the order they were asked.
    pub trace: Vec<&'static str>,
    /// What came of it.
    pub outcome: Outcome,
}

/// What came of a command.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Outcome {
    /// A new refund, to be saved with the balance `remaining_refundable_balance`.
    Processed(Refund),
    /// The refund that was made before with the same key and arguments.
    Replayed(Refund),
    /// Nothing moved.
    Refused(Refusal),
}

impl Outcome {
    /// The word in the audit trail: `processed`, `replayed`, or the refusal's code.
    #[must_use]
    pub fn as_str(&self) -> &'static str {
        match self {
            Self::Processed(_) => "processed",
            Self::Replayed(_) => "replayed",
            Self::Refused(refusal) => refusal.code(),
        }
    }
}

/// A refund as it is answered.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Receipt {
    /// The refund.
    pub refund: Refund,
    /// Whether it had been made by an earlier call with the same key.
    pub replayed: bool,
}

/// Decides about a request. Pure: the same facts give the same decision.
///
/// The key is asked first, so that a retry gets its first receipt whatever has happened since. The
/// rules and their order are those of `docs/architecture.md`, deciding a refund.
#[must_use]
pub fn decide(facts: &Facts, request: &RefundRequest) -> Decision {
    let mut trace = Vec::with_capacity(5);
    let verdict = judge(facts, request, &mut trace);
    Decision { trace, verdict }
}

fn judge(facts: &Facts, request: &RefundRequest, trace: &mut Vec<&'static str>) -> Verdict {
    if let (Some(key), Some(key_use)) = (&request.idempotency_key, &facts.key_use) {
        return match key_use {
            KeyUse::Refund(earlier) if is_same(earlier, request) => {
                trace.push("key.replay");
                Verdict::Replay(earlier.clone())
            }
            KeyUse::Refund(earlier) => {
                trace.push("key.conflict");
                Verdict::Refuse(Refusal::IdempotencyConflict {
                    key: key.clone(),
                    earlier: EarlierUse::Refund {
                        refund_id: earlier.id,
                        amount: earlier.amount,
                        customer_id: earlier.customer_id,
                    },
                })
            }
            KeyUse::OtherTool(tool) => {
                trace.push("key.conflict");
                Verdict::Refuse(Refusal::IdempotencyConflict {
                    key: key.clone(),
                    earlier: EarlierUse::OtherTool(tool.clone()),
                })
            }
        };
    }

    let customer_id = request.customer_id;
    let Some(customer) = &facts.customer else {
        trace.push("customer.unknown");
        return Verdict::Refuse(Refusal::CustomerNotFound { customer_id });
    };
    if customer.status != CustomerStatus::Active {
        trace.push("customer.suspended");
        return Verdict::Refuse(Refusal::CustomerSuspended { customer_id });
    }
    trace.push("customer.active");

    let balance = customer.refundable_balance;
    let currency = balance.currency();
    // A requested amount is above zero and bounded, so that its precision is all that can be wrong.
    let Ok(amount) = Money::from_decimal(request.amount.decimal(), currency) else {
        trace.push("currency.precision");
        let amount = request.amount.decimal();
        return Verdict::Refuse(Refusal::CurrencyPrecision { amount, currency });
    };
    trace.push("currency.exact");

    match balance.checked_sub(amount) {
        Ok(remaining) => {
            trace.push("balance.sufficient");
            Verdict::Grant { amount, remaining }
        }
        Err(_) => {
            trace.push("balance.exceeded");
            Verdict::Refuse(Refusal::ExceedsBalance {
                amount,
                balance,
                customer_id,
            })
        }
    }
}

fn is_same(earlier: &Refund, request: &RefundRequest) -> bool {
    earlier.customer_id == request.customer_id
        && earlier.amount.decimal() == request.amount.decimal()
        && earlier.reason == request.reason
}

impl Facts {
    /// What is known to a caller for whom only this customer exists. That a key was used for another
    /// customer's refund, such a caller learns only when they ask for their own; of the refund nothing.
    #[must_use]
    pub fn seen_by(&self, only: CustomerId, request: &RefundRequest) -> Self {
        let is_own = request.customer_id == only;
        Self {
            customer: self.customer.clone().filter(|_| is_own),
            key_use: match &self.key_use {
                Some(KeyUse::Refund(earlier)) if earlier.customer_id != only => {
                    is_own.then(|| KeyUse::OtherTool(ToolName::of_this_program(TOOL)))
                }
                key_use => key_use.clone(),
            },
        }
    }
}

impl IssueRefund {
    /// Decides, and turns a grant into the refund to save. For a caller bound to one customer, there
    /// are no others.
    #[must_use]
    pub fn settle(&self, facts: &Facts) -> Settled {
        let Decision { mut trace, verdict } = match self.caller.customer {
            None => decide(facts, &self.request),
            Some(only) => decide(&facts.seen_by(only, &self.request), &self.request),
        };
        if facts.customer.is_some() && !self.caller.sees(self.request.customer_id) {
            // The trace tells the operator what the caller is not told.
            trace.insert(0, "customer.hidden");
        }
        let outcome = match verdict {
            Verdict::Grant { amount, remaining } => Outcome::Processed(Refund {
                id: self.refund_id,
                customer_id: self.request.customer_id,
                amount,
                reason: self.request.reason.clone(),
                status: RefundStatus::Processed,
                processed_at: self.at,
                remaining_refundable_balance: remaining,
                principal: self.caller.principal.clone(),
                idempotency_key: self.request.idempotency_key.clone(),
            }),
            Verdict::Replay(refund) => Outcome::Replayed(refund),
            Verdict::Refuse(refusal) => Outcome::Refused(refusal),
        };
        Settled { trace, outcome }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::{Currency, EmailAddress, PersonName, Role};

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

    fn request(amount: &str) -> RefundRequest {
        RefundRequest {
            customer_id: CustomerId::new("CUST-00001").unwrap(),
            amount: RefundAmount::new(amount.parse().unwrap()).unwrap(),
            reason: Reason::new("damaged item").unwrap(),
            idempotency_key: None,
        }
    }

    fn command(request: RefundRequest, number: u128) -> IssueRefund {
        IssueRefund {
            request,
            caller: Caller::new(Principal::new("local").unwrap(), Role::Agent),
            refund_id: RefundId::from_uuid(uuid::Uuid::from_u128(number)),
            at: Timestamp::parse("2026-01-02T03:04:05Z").unwrap(),
        }
    }

    fn facts(customer: Customer) -> Facts {
        Facts {
            customer: Some(customer),
            key_use: None,
        }
    }

    #[test]
    fn other_customers_do_not_exist_for_a_caller_bound_to_one() {
        let known = facts(customer(CustomerStatus::Active, 5_000, "USD"));
        let keyed = RefundRequest {
            idempotency_key: Some(IdempotencyKey::new("k").unwrap()),
            ..request("10")
        };
        let made = match command(keyed.clone(), 1).settle(&known).outcome {
            Outcome::Processed(refund) => refund,
            other => panic!("{other:?}"),
        };
        let by = |only: &str, request: RefundRequest, facts: &Facts| {
            let mut command = command(request, 2);
            command.caller.customer = Some(CustomerId::new(only).unwrap());
            command.settle(facts)
        };
        let nobody = Facts {
            customer: None,
            key_use: None,
        };
        let used = |facts: &Facts| Facts {
            key_use: Some(KeyUse::Refund(made.clone())),
            ..facts.clone()
        };
        let own = by("CUST-00001", request("10"), &known);
        assert_eq!(own.outcome.as_str(), "processed");
        let again = by("CUST-00001", keyed.clone(), &used(&known));
        assert_eq!(again.outcome.as_str(), "replayed");
        // What is forbidden comes to the same as what is unknown, whatever the key was used for.
        let unknown = by("CUST-00001", request("10"), &nobody).outcome;
        assert_eq!(unknown.as_str(), "CUSTOMER_NOT_FOUND");
        for (asked, facts) in [
            (request("10"), known.clone()),
            (keyed.clone(), known.clone()),
            (keyed.clone(), used(&known)),
        ] {
            let hidden = by("CUST-00002", asked, &facts);
            assert_eq!(hidden.outcome, unknown);
            assert_eq!(hidden.trace, ["customer.hidden", "customer.unknown"]);
        }
        let other = RefundRequest {
            amount: request("11").amount,
            ..keyed
        };
        let conflict = by("CUST-00001", other.clone(), &used(&nobody)).outcome;
        assert_eq!(conflict.as_str(), "IDEMPOTENCY_CONFLICT");
        assert_eq!(
            by("CUST-00002", other.clone(), &used(&known)).outcome,
            unknown
        );
        // Of another customer's refund only that the key is used.
        let own = RefundRequest {
            customer_id: CustomerId::new("CUST-00002").unwrap(),
            ..other
        };
        let Outcome::Refused(refusal) = by("CUST-00002", own, &used(&nobody)).outcome else {
            panic!("refused")
        };
        assert_eq!(
            refusal.to_string(),
            "Idempotency key k was already used for a call of trigger_refund. To retry that call, send exactly its arguments; for a new decision, use a new key."
        );
    }

    // Cases.
    #[test]
    fn decisions() {
        use CustomerStatus::{Active, Suspended};
        for (customer, amount, rule, code) in [
            (
                customer(Active, 5_000, "USD"),
                "50.01",
                "balance.exceeded",
                Some("EXCEEDS_BALANCE"),
            ),
            (
                customer(Active, 5_000, "USD"),
                "50",
                "balance.sufficient",
                None,
            ),
            (
                customer(Active, 9_899, "JPY"),
                "500",
                "balance.sufficient",
                None,
            ),
            (
                customer(Active, 9_899, "JPY"),
                "100.5",
                "currency.precision",
                Some("CURRENCY_PRECISION"),
            ),
            (
                customer(Active, 9_899, "KWD"),
                "1.255",
                "balance.sufficient",
                None,
            ),
            (
                customer(Active, 0, "USD"),
                "0.01",
                "balance.exceeded",
                Some("EXCEEDS_BALANCE"),
            ),
            (
                customer(Suspended, 5_000, "USD"),
                "1",
                "customer.suspended",
                Some("CUSTOMER_SUSPENDED"),
            ),
            (
                customer(Suspended, 0, "JPY"),
                "1.5",
                "customer.suspended",
                Some("CUSTOMER_SUSPENDED"),
            ),
        ] {
            let decision = decide(&facts(customer), &request(amount));
            assert_eq!(decision.trace.last(), Some(&rule), "{amount}");
            let refused = match &decision.verdict {
                Verdict::Refuse(refusal) => Some(refusal.code()),
                _ => None,
            };
            assert_eq!(refused, code, "{amount}");
        }
        let nobody = Facts {
            customer: None,
            key_use: None,
        };
        assert!(matches!(
            decide(&nobody, &request("1")).verdict,
            Verdict::Refuse(Refusal::CustomerNotFound { .. })
        ));
    }

    // Cases.
    #[test]
    fn a_key_gives_its_first_receipt_or_a_conflict() {
        let keyed = |amount: &str, reason: &str, customer: &str| RefundRequest {
            customer_id: CustomerId::new(customer).unwrap(),
            reason: Reason::new(reason).unwrap(),
            idempotency_key: Some(IdempotencyKey::new("K").unwrap()),
            ..request(amount)
        };
        let first = command(keyed("10", "damaged item", "CUST-00001"), 1);
        let Outcome::Processed(earlier) = first
            .settle(&facts(customer(CustomerStatus::Active, 5_000, "USD")))
            .outcome
        else {
            panic!("granted")
        };
        // Whatever has happened to the customer since.
        for now in [
            Some(customer(CustomerStatus::Active, 4_000, "USD")),
            Some(customer(CustomerStatus::Suspended, 0, "USD")),
            None,
        ] {
            let facts = Facts {
                customer: now,
                key_use: Some(KeyUse::Refund(earlier.clone())),
            };
            let again = command(keyed("10.00", " damaged item ", "CUST-00001"), 2);
            assert_eq!(
                again.settle(&facts).outcome,
                Outcome::Replayed(earlier.clone())
            );
            for other in [
                keyed("20", "damaged item", "CUST-00001"),
                keyed("10", "another reason", "CUST-00001"),
                keyed("10", "damaged item", "CUST-00002"),
            ] {
                let Outcome::Refused(refusal) = command(other, 3).settle(&facts).outcome else {
                    panic!("refused")
                };
                assert_eq!(refusal.code(), "IDEMPOTENCY_CONFLICT");
                assert!(refusal.to_string().contains(&earlier.id.to_string()));
            }
        }
        let elsewhere = Facts {
            customer: Some(customer(CustomerStatus::Active, 5_000, "USD")),
            key_use: Some(KeyUse::OtherTool(ToolName::new("process_return").unwrap())),
        };
        assert_eq!(
            first.settle(&elsewhere).outcome.as_str(),
            "IDEMPOTENCY_CONFLICT"
        );
    }

    #[test]
    fn amounts_out_of_bounds_are_no_request() {
        for amount in [
            "0",
            "-0",
            "-0.01",
            "-10",
            "1000000.01",
            "79228162514264337593543950335",
        ] {
            assert!(
                RefundAmount::new(amount.parse().unwrap()).is_err(),
                "{amount}"
            );
        }
        for amount in ["0.01", "1000000", "999999.99", "0.0001"] {
            assert!(
                RefundAmount::new(amount.parse().unwrap()).is_ok(),
                "{amount}"
            );
        }
    }

    // "1,000 refunds of 0.1 from 100 leave exactly 0", and case R-014.
    #[test]
    fn many_small_refunds_leave_exactly_nothing() {
        for (amount, count) in [("0.1", 1_000), ("0.01", 10_000)] {
            let mut account = customer(CustomerStatus::Active, 10_000, "USD");
            for number in 0..count {
                let settled = command(request(amount), number).settle(&facts(account.clone()));
                let Outcome::Processed(refund) = settled.outcome else {
                    panic!("granted")
                };
                account.refundable_balance = refund.remaining_refundable_balance;
            }
            assert!(account.refundable_balance.is_zero());
            let settled = command(request(amount), count).settle(&facts(account));
            assert_eq!(settled.outcome.as_str(), "EXCEEDS_BALANCE");
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig { cases: 4096, failure_persistence: None, ..ProptestConfig::default() })]

        // No sequence of requests makes money: opening balance = refunds + balance, and never below 0.
        #[test]
        fn nothing_is_made_and_nothing_is_lost(
            opening in 0_i64..1_000_000,
            cents in prop::collection::vec(1_i64..200_000, 0..40),
        ) {
            let mut account = customer(CustomerStatus::Active, opening, "USD");
            let mut refunded = 0;
            for (number, cents) in cents.into_iter().enumerate() {
                let amount = Decimal::new(cents, 2).to_string();
                let settled = command(request(&amount), number as u128).settle(&facts(account.clone()));
                match settled.outcome {
                    Outcome::Processed(refund) => {
                        refunded += refund.amount.minor();
                        account.refundable_balance = refund.remaining_refundable_balance;
                    }
                    Outcome::Refused(refusal) => {
                        prop_assert_eq!(refusal.code(), "EXCEEDS_BALANCE");
                        prop_assert!(cents > account.refundable_balance.minor());
                    }
                    Outcome::Replayed(_) => prop_assert!(false, "no key was used"),
                }
                prop_assert_eq!(opening, refunded + account.refundable_balance.minor());
            }
        }
    }
}
