//! `escalate_to_human`: what it takes and gives.

use std::sync::LazyLock;

use garde::Validate;
use refund_domain::settled::Answer;
use refund_domain::{CountedTurn, EscalationStatus, IdempotencyKey, TurnRequest, UserMessage};
use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::{Deserialize, Serialize};

use crate::argument::{IdempotencyKeyArgument, SessionIdArgument, UserMessageArgument, given};
use crate::decode::ToolInput;
use crate::issue::Issue;
use crate::meta::merge;
use crate::personal::Personal;
use crate::rules::Rules;
use crate::schema::words;

/// The arguments of `escalate_to_human`.
#[derive(Debug, Clone, Deserialize, JsonSchema, Validate)]
#[serde(deny_unknown_fields)]
pub struct EscalateToHumanInput {
    /// Your name for this conversation, the same at each of its turns and unique among all
    /// conversations: any text that is not blank, best a fresh UUID. A new enquiry gets a new one.
    #[garde(dive)]
    session_id: SessionIdArgument,
    /// What the user wrote at this turn, to the letter: 1 to 4000 characters.
    #[garde(dive)]
    user_message: UserMessageArgument,
    /// Your own name for this one turn, unique among all conversations: 1 to 255 visible ASCII
    /// characters, for example the session_id with -turn-3 after it where that is a UUID. Reuse the
    /// same key when you retry the same turn, so that it is counted once. Never make up a new key per
    /// attempt.
    #[serde(default, deserialize_with = "given")]
    #[schemars(with = "IdempotencyKeyArgument")]
    #[garde(dive)]
    idempotency_key: Option<IdempotencyKeyArgument>,
}

impl EscalateToHumanInput {
    /// The request, with the idempotency key of the arguments or that of the request's `_meta`
    /// ([`crate::idempotency_key_from_meta`]).
    ///
    /// # Errors
    /// Both are there and differ.
    pub fn into_request(self, meta_key: Option<IdempotencyKey>) -> Result<TurnRequest, Issue> {
        let key = self
            .idempotency_key
            .map(IdempotencyKeyArgument::into_domain);
        Ok(TurnRequest {
            session_id: self.session_id.into_domain(),
            user_message: self.user_message.into_domain(),
            idempotency_key: merge(key, meta_key)?,
        })
    }
}

impl ToolInput for EscalateToHumanInput {
    fn rules() -> &'static Rules {
        static RULES: LazyLock<Rules> = LazyLock::new(Rules::of::<EscalateToHumanInput>);
        &RULES
    }
}

/// The answer of `escalate_to_human`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct EscalateToHumanOutput {
    /// The conversation.
    session_id: String,
    /// Which turn of the conversation this was, from 1 to 10.
    turn_count: u32,
    /// active: go on. confirm_close: ask whether the matter is closed. force_closed: this was the
    /// last turn.
    #[schemars(schema_with = "status")]
    status: &'static str,
    /// What you are to do now. It is an instruction to you, not an answer for the user.
    guidance: String,
    /// The user's message as it was received.
    received_message: Personal,
    /// true if an earlier call with the same idempotency key counted this turn and nothing was counted
    /// now.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "bool")]
    replayed: Option<bool>,
}

impl EscalateToHumanOutput {
    /// A turn that was counted, with what to do and the message it was counted for.
    #[must_use]
    pub fn new(answer: &Answer<CountedTurn>, guidance: String, message: &UserMessage) -> Self {
        let turn = &answer.value;
        Self {
            session_id: turn.session_id.to_string(),
            turn_count: turn.turn_count.number(),
            status: turn.turn_count.status().as_str(),
            guidance,
            received_message: Personal::new(message.as_str()),
            replayed: answer.replayed.then_some(true),
        }
    }
}

fn status(_: &mut SchemaGenerator) -> Schema {
    words(EscalationStatus::ALL.map(EscalationStatus::as_str))
}
