//! Conversations that were handed to a person: how many turns they have had, and what the calling
//! agent is to do at each. The turns are counted here; the operator's answers are not written here.

use std::fmt;

use sha2::{Digest, Sha256};

use crate::order::any_id;
use crate::returns_refusal::{EarlierCall, ReturnsRefusal};
use crate::settled::{KeyUse, Outcome, Settled, ask_key};
use crate::text::{TextError, length, text_type};
use crate::{Caller, IdempotencyKey, Timestamp};

/// The tool that counts turns; the owner of their idempotency keys.
pub const TOOL: &str = "escalate_to_human";

text_type!(
    /// The caller's name for a conversation: any text of 1 to 320 characters that is not blank,
    /// compared as it stands. Another principal's conversation of the same name is another one.
    SessionId,
    shown
);
text_type!(
    /// What the user wrote, to the letter: 1 to 4,000 characters. Personal data.
    UserMessage,
    personal
);

impl SessionId {
    /// Checks.
    ///
    /// # Errors
    /// Blank, or longer than 320.
    pub fn new(text: &str) -> Result<Self, TextError> {
        any_id(text, "a session id")?;
        Ok(Self(text.to_owned()))
    }
}

impl UserMessage {
    /// Most characters.
    pub const MOST: usize = 4000;

    /// Checks.
    ///
    /// # Errors
    /// Empty, or more than 4,000 characters (Unicode scalar values).
    pub fn new(text: &str) -> Result<Self, TextError> {
        length(text, "a message", 1, Self::MOST)?;
        Ok(Self(text.to_owned()))
    }

    /// Tells whether a message is the same, so that a store need not keep what people wrote.
    #[must_use]
    pub fn digest(&self) -> MessageDigest {
        MessageDigest(Sha256::digest(self.as_str()).into())
    }
}

/// The SHA-256 of a [`UserMessage`].
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct MessageDigest([u8; 32]);

impl MessageDigest {
    /// A digest that was stored.
    #[must_use]
    pub fn from_bytes(bytes: [u8; 32]) -> Self {
        Self(bytes)
    }

    /// The digest, to be stored.
    #[must_use]
    pub fn as_bytes(&self) -> &[u8; 32] {
        &self.0
    }
}

impl fmt::Debug for MessageDigest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("MessageDigest(…)")
    }
}

/// How many turns a conversation has had: 1 to [`TurnCount::LAST`].
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct TurnCount(u8);

/// A number that is no [`TurnCount`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("a conversation has 1 to 10 turns")]
pub struct TurnCountError;

impl TurnCount {
    /// The last turn of a conversation.
    pub const LAST: u8 = 10;
    /// The turn at which the user is asked whether the matter is closed.
    const CONFIRM: u8 = 5;

    /// Checks a number.
    ///
    /// # Errors
    /// 0, or above [`TurnCount::LAST`].
    pub fn new(turns: u32) -> Result<Self, TurnCountError> {
        match u8::try_from(turns) {
            Ok(turns @ 1..=Self::LAST) => Ok(Self(turns)),
            _ => Err(TurnCountError),
        }
    }

    /// The number.
    #[must_use]
    pub fn number(self) -> u32 {
        u32::from(self.0)
    }

    /// How many turns are left.
    #[must_use]
    pub fn left(self) -> u32 {
        u32::from(Self::LAST.saturating_sub(self.0))
    }

    /// Where the conversation stands.
    #[must_use]
    pub fn status(self) -> EscalationStatus {
        match self.0 {
            Self::LAST => EscalationStatus::ForceClosed,
            Self::CONFIRM => EscalationStatus::ConfirmClose,
            _ => EscalationStatus::Active,
        }
    }

    /// What the calling agent is to do.
    #[must_use]
    pub fn guidance(self) -> Guidance {
        match self.0 {
            ..Self::CONFIRM => Guidance::Answer,
            Self::CONFIRM => Guidance::ConfirmClose,
            Self::LAST.. => Guidance::Closed,
            _ if self.left() == 1 => Guidance::OneTurnLeft,
            _ => Guidance::GoOn,
        }
    }
}

impl fmt::Debug for TurnCount {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(&self.0, f)
    }
}

/// Where a conversation stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum EscalationStatus {
    /// It goes on.
    Active,
    /// It goes on, and the user is asked whether it shall.
    ConfirmClose,
    /// It is over.
    ForceClosed,
}

impl EscalationStatus {
    /// All of them, in the order the schemas publish.
    pub const ALL: [Self; 3] = [Self::Active, Self::ConfirmClose, Self::ForceClosed];

    /// The word on the wire and in data files.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Active => "active",
            Self::ConfirmClose => "confirm_close",
            Self::ForceClosed => "force_closed",
        }
    }

    /// The status of a word; `None` for any other word.
    #[must_use]
    pub fn from_word(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|status| status.as_str() == word)
    }
}

/// What the calling agent is to do at a turn.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Guidance {
    /// Answer as the operator.
    Answer,
    /// Answer, then ask whether the matter is closed.
    ConfirmClose,
    /// Go on as usual.
    GoOn,
    /// Go on as usual, and know that one turn is left.
    OneTurnLeft,
    /// Say that the conversation is closed, and ask for a new enquiry.
    Closed,
}

/// The turn after those that a conversation has had; `None` where it is closed.
#[must_use]
pub fn turn(so_far: Option<TurnCount>) -> Option<TurnCount> {
    let turns = so_far.map_or(0, TurnCount::number);
    TurnCount::new(turns.saturating_add(1)).ok()
}

/// A turn that was counted.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CountedTurn {
    /// The conversation.
    pub session_id: SessionId,
    /// Which turn this was.
    pub turn_count: TurnCount,
    /// What the user wrote, so far as it must be told from something else.
    pub message: MessageDigest,
}

/// What somebody asks for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TurnRequest {
    /// The conversation; a new one where the principal has none of this name.
    pub session_id: SessionId,
    /// What the user wrote.
    pub user_message: UserMessage,
    /// The caller's own name for this turn.
    pub idempotency_key: Option<IdempotencyKey>,
}

/// The command a store executes: the request with everything that came in from outside.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CountTurn {
    /// What is asked for.
    pub request: TurnRequest,
    /// Who asks; the conversation is this principal's.
    pub caller: Caller,
    /// The present instant.
    pub at: Timestamp,
}

/// What must be known to decide, loaded under the lock under which the outcome is saved.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Facts {
    /// How many turns the principal's conversation has had; `None` where it has none.
    pub so_far: Option<TurnCount>,
    /// What the request's key was used for before, by the same principal.
    pub key_use: Option<KeyUse<CountedTurn>>,
}

impl CountTurn {
    /// Decides. Of [`Outcome::Processed`] the store saves the conversation's new count, and the key
    /// with the whole [`CountedTurn`]: a replay answers with the count of that time.
    #[must_use]
    pub fn settle(&self, facts: &Facts) -> Settled<CountedTurn> {
        let TurnRequest {
            session_id,
            user_message,
            idempotency_key,
        } = &self.request;
        let message = user_message.digest();
        let by_key = ask_key(
            idempotency_key.as_ref(),
            facts.key_use.as_ref(),
            |earlier| earlier.session_id == *session_id && earlier.message == message,
            |earlier| EarlierCall::Turn {
                session_id: earlier.session_id.clone(),
                turn_count: earlier.turn_count,
            },
        );
        if let Some(settled) = by_key {
            return settled;
        }
        let (rule, outcome) = match turn(facts.so_far) {
            Some(turn_count) => (
                "session.open",
                Outcome::Processed(CountedTurn {
                    session_id: session_id.clone(),
                    turn_count,
                    message,
                }),
            ),
            None => (
                "session.closed",
                Outcome::Refused(ReturnsRefusal::SessionClosed {
                    session_id: session_id.clone(),
                }),
            ),
        };
        Settled {
            trace: vec![rule],
            outcome,
        }
    }
}

#[cfg(test)]
mod tests;
