//! What the audit trail keeps of a call: the same in every store.

use refund_domain::settled::{self, Settled};
use refund_domain::{
    AcceptedReturn, AdjustBalance, AdjustmentSettled, Caller, CountTurn, CountedTurn,
    IdempotencyKey, IssueRefund, Outcome, ProcessReturn, RefundId, ReturnId, Timestamp, adjustment,
    escalation, refund, returns,
};
use serde::Serialize;
use serde_json::value::RawValue;

/// What one call came to. `A` are its arguments with personal data masked: ids, amounts, and the
/// lengths of free texts.
pub(crate) struct Entry<'a, A> {
    pub(crate) at: Timestamp,
    pub(crate) caller: &'a Caller,
    pub(crate) tool: &'static str,
    pub(crate) arguments: A,
    /// `processed`, `replayed`, or the refusal's code.
    pub(crate) outcome: &'static str,
    pub(crate) trace: &'a [&'static str],
    /// The refund that was made, now or by the call that is replayed.
    pub(crate) refund_id: Option<RefundId>,
    /// The return, likewise.
    pub(crate) return_id: Option<ReturnId>,
}

/// An id that callers choose freely, or its length where it could be something else than an id: an
/// address, or a sentence.
#[derive(Serialize)]
#[serde(untagged)]
pub(crate) enum FreeId<'a> {
    Id(&'a str),
    Other { characters: usize },
}

impl<'a> FreeId<'a> {
    /// Letters, digits and `-_.:/#` are an id.
    pub(crate) fn new(text: &'a str) -> Self {
        let known = |byte: u8| byte.is_ascii_alphanumeric() || b"-_.:/#".contains(&byte);
        if text.bytes().all(known) {
            Self::Id(text)
        } else {
            let characters = text.chars().count();
            Self::Other { characters }
        }
    }

    /// The same for ids that callers make up, idempotency keys and conversations: digits that could be
    /// a telephone number are no id either.
    pub(crate) fn made_up(text: &'a str) -> Self {
        const OF_A_NUMBER: std::ops::RangeInclusive<usize> = 7..=15;
        let digits = text.bytes().filter(u8::is_ascii_digit).count();
        let signs = text.bytes().filter(|byte| b"-./".contains(byte)).count();
        if digits + signs == text.len() && OF_A_NUMBER.contains(&digits) {
            let characters = text.len();
            Self::Other { characters }
        } else {
            Self::new(text)
        }
    }

    fn of_key(key: Option<&'a IdempotencyKey>) -> Option<Self> {
        key.map(|key| Self::made_up(key.as_str()))
    }
}

/// A reason may name a person, so only its length is kept.
#[derive(Serialize)]
struct RefundArguments<'a> {
    customer_id: String,
    amount: Box<RawValue>,
    reason_characters: usize,
    #[serde(skip_serializing_if = "Option::is_none")]
    idempotency_key: Option<FreeId<'a>>,
}

/// A refund.
pub(crate) fn of_refund<'a>(
    command: &'a IssueRefund,
    settled: &'a refund::Settled,
) -> Result<Entry<'a, impl Serialize + use<'a>>, serde_json::Error> {
    let request = &command.request;
    let amount = request.amount.decimal().normalize().to_string();
    Ok(Entry {
        at: command.at,
        caller: &command.caller,
        tool: refund::TOOL,
        arguments: RefundArguments {
            customer_id: request.customer_id.to_string(),
            amount: RawValue::from_string(amount)?,
            reason_characters: request.reason.as_str().chars().count(),
            idempotency_key: FreeId::of_key(request.idempotency_key.as_ref()),
        },
        outcome: settled.outcome.as_str(),
        trace: &settled.trace,
        refund_id: match &settled.outcome {
            Outcome::Processed(refund) | Outcome::Replayed(refund) => Some(refund.id),
            Outcome::Refused(_) => None,
        },
        return_id: None,
    })
}

#[derive(Serialize)]
struct ReturnArguments<'a> {
    order_id: FreeId<'a>,
    reason_characters: usize,
    #[serde(skip_serializing_if = "Option::is_none")]
    idempotency_key: Option<FreeId<'a>>,
}

/// A return.
pub(crate) fn of_return<'a>(
    command: &'a ProcessReturn,
    settled: &'a Settled<AcceptedReturn>,
) -> Entry<'a, impl Serialize + use<'a>> {
    use settled::Outcome;
    let request = &command.request;
    Entry {
        at: command.at,
        caller: &command.caller,
        tool: returns::TOOL,
        arguments: ReturnArguments {
            order_id: FreeId::new(request.order_id.as_str()),
            reason_characters: request.reason.as_str().chars().count(),
            idempotency_key: FreeId::of_key(request.idempotency_key.as_ref()),
        },
        outcome: settled.outcome.as_str(),
        trace: &settled.trace,
        refund_id: None,
        return_id: match &settled.outcome {
            Outcome::Processed(accepted) | Outcome::Replayed(accepted) => {
                Some(accepted.order_return.id)
            }
            Outcome::Refused(_) => None,
        },
    }
}

/// Of what the user wrote only the length is kept.
#[derive(Serialize)]
struct TurnArguments<'a> {
    session_id: FreeId<'a>,
    message_characters: usize,
    #[serde(skip_serializing_if = "Option::is_none")]
    idempotency_key: Option<FreeId<'a>>,
}

/// A turn of a conversation.
pub(crate) fn of_turn<'a>(
    command: &'a CountTurn,
    settled: &'a Settled<CountedTurn>,
) -> Entry<'a, impl Serialize + use<'a>> {
    let request = &command.request;
    Entry {
        at: command.at,
        caller: &command.caller,
        tool: escalation::TOOL,
        arguments: TurnArguments {
            session_id: FreeId::made_up(request.session_id.as_str()),
            message_characters: request.user_message.as_str().chars().count(),
            idempotency_key: FreeId::of_key(request.idempotency_key.as_ref()),
        },
        outcome: settled.outcome.as_str(),
        trace: &settled.trace,
        refund_id: None,
        return_id: None,
    }
}

#[derive(Serialize)]
struct AdjustmentArguments<'a> {
    customer_id: String,
    by: String,
    reason_characters: usize,
    #[serde(skip_serializing_if = "Option::is_none")]
    idempotency_key: Option<FreeId<'a>>,
}

/// A balance that was corrected by hand.
pub(crate) fn of_adjustment<'a>(
    command: &'a AdjustBalance,
    settled: &'a AdjustmentSettled,
) -> Entry<'a, impl Serialize + use<'a>> {
    Entry {
        at: command.at,
        caller: &command.caller,
        tool: adjustment::TOOL,
        arguments: AdjustmentArguments {
            customer_id: command.customer_id.to_string(),
            by: command.by.decimal().normalize().to_string(),
            reason_characters: command.reason.as_str().chars().count(),
            idempotency_key: FreeId::of_key(command.idempotency_key.as_ref()),
        },
        outcome: settled.as_str(),
        trace: &settled.trace,
        refund_id: None,
        return_id: None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_could_name_a_person_is_no_id() {
        let kept = |text: &str| serde_json::to_string(&FreeId::made_up(text)).unwrap();
        for id in [
            "k-1",
            "ticket-4711",
            "4711",
            "a/b:c#d_e.f",
            "2c9f0e5f43",
            "1234567890123456",
        ] {
            assert_eq!(kept(id), format!("\"{id}\""));
        }
        for (text, characters) in [
            ("alice@example.com", 17),
            ("+15550100", 9),
            ("15550100", 8),
            ("090-1234-5678", 13),
            ("03.1234/5678", 12),
            ("two words", 9),
            ("アリス", 3),
        ] {
            assert_eq!(
                kept(text),
                format!("{{\"characters\":{characters}}}"),
                "{text}"
            );
        }
        // An order's id is the shop's, and may be a number.
        let order = serde_json::to_string(&FreeId::new("20260801")).unwrap();
        assert_eq!(order, "\"20260801\"");
    }
}
