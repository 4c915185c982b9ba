//! What the commands of the `returns` toolset come to, and how they treat idempotency keys: the same
//! for all of them.

use crate::returns_refusal::{EarlierCall, ReturnsRefusal};
use crate::{IdempotencyKey, ToolName};

/// What an idempotency key was used for before, by the same principal.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum KeyUse<T> {
    /// A call of this tool that came to this.
    ThisTool(T),
    /// A call of another tool.
    OtherTool(ToolName),
}

/// A command's outcome, as a store persists and answers it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Settled<T> {
    /// Rule names in the order they were asked; the last one decided.
    pub trace: Vec<&'static str>,
    /// What came of it.
    pub outcome: Outcome<T>,
}

/// What came of a command.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Outcome<T> {
    /// Something new, to be saved.
    Processed(T),
    /// What came of an earlier call with the same key and arguments. Nothing is to be saved.
    Replayed(T),
    /// Nothing changed.
    Refused(ReturnsRefusal),
}

impl<T> Outcome<T> {
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

/// A result with whether it had been made by an earlier call with the same key.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Answer<T> {
    /// The result.
    pub value: T,
    /// Whether nothing happened now.
    pub replayed: bool,
}

impl<T> Outcome<T> {
    /// The answer.
    ///
    /// # Errors
    /// The refusal, if it is one.
    pub fn into_answer(self) -> Result<Answer<T>, ReturnsRefusal> {
        match self {
            Self::Processed(value) => Ok(Answer {
                value,
                replayed: false,
            }),
            Self::Replayed(value) => Ok(Answer {
                value,
                replayed: true,
            }),
            Self::Refused(refusal) => Err(refusal),
        }
    }
}

/// What a key decides by itself, before any other rule: a replay of a call that `is_same`, a refusal
/// for anything else, `None` where the key is new or there is none.
pub(crate) fn ask_key<T: Clone>(
    key: Option<&IdempotencyKey>,
    key_use: Option<&KeyUse<T>>,
    is_same: impl FnOnce(&T) -> bool,
    name: impl FnOnce(&T) -> EarlierCall,
) -> Option<Settled<T>> {
    let (key, key_use) = (key?, key_use?);
    let earlier = match key_use {
        KeyUse::ThisTool(earlier) if is_same(earlier) => {
            return Some(Settled {
                trace: vec!["key.replay"],
                outcome: Outcome::Replayed(earlier.clone()),
            });
        }
        KeyUse::ThisTool(earlier) => name(earlier),
        KeyUse::OtherTool(tool) => EarlierCall::OtherTool(tool.clone()),
    };
    Some(Settled {
        trace: vec!["key.conflict"],
        outcome: Outcome::Refused(ReturnsRefusal::IdempotencyConflict {
            key: key.clone(),
            earlier,
        }),
    })
}
