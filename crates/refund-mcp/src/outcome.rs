//! What a call came to, and the one place that turns it into what goes over the wire.
//!
//! Three kinds of bad news are never mixed: *invalid arguments* (nothing was executed), a *refusal*
//! (the rules say no; the model reads why), a *fault* (logged whole, sent as a fixed sentence).

use clap::ValueEnum;
use refund_domain::warranty::{UnknownTier, WarrantyDeskError, WarrantyRefusal};
use refund_domain::{
    DeskError, EarlierCall, Refusal, ReturnsDeskError, ReturnsRefusal, StoreError, TimeZone,
    escalation, returns,
};
use refund_schema::Issue;
use rmcp::ErrorData;
use rmcp::model::{CallToolResult, ContentBlock, MetaObject};
use serde::Serialize;
use serde_json::{Value, json};

use crate::catalogue::{Access, ToolSpec};
use crate::messages::{Key, Language};

/// A result, as text and as structure: the same JSON.
#[derive(Debug)]
pub(crate) struct Success {
    text: String,
    value: Value,
}

impl Success {
    /// The result of a tool from its output type.
    ///
    /// # Errors
    /// The type cannot be written as JSON, which is a fault of ours.
    pub(crate) fn new(output: &impl Serialize) -> Result<Self, Failure> {
        Ok(Self {
            text: serde_json::to_string(output).map_err(Failure::Unwritable)?,
            value: serde_json::to_value(output).map_err(Failure::Unwritable)?,
        })
    }
}

impl Success {
    /// Whether the result stays below 60 KB. It goes out twice, as text and as structure.
    pub(crate) fn fits(&self) -> bool {
        const MOST_TEXT: usize = 28_000;
        self.text.len() <= MOST_TEXT
    }
}

/// Why a call gave no result.
#[derive(Debug, thiserror::Error)]
pub(crate) enum Failure {
    /// Nothing was executed.
    #[error("invalid arguments")]
    InvalidArguments(Vec<Issue>),
    /// Nothing moved.
    #[error(transparent)]
    Refused(Refusal),
    /// The same, from the toolset `returns`.
    #[error(transparent)]
    ReturnRefused(ReturnsRefusal),
    /// The same, from the toolset `warranty`.
    #[error(transparent)]
    WarrantyRefused(WarrantyRefusal),
    /// The configuration does not fit the data.
    #[error("the configuration does not fit the data")]
    Misconfigured(#[source] UnknownTier),
    /// The store failed.
    #[error(transparent)]
    Store(StoreError),
    /// The call took longer than its deadline.
    #[error("the call took longer than its deadline")]
    Deadline,
    /// A result could not be written as JSON.
    #[error("a result could not be written as JSON")]
    Unwritable(#[source] serde_json::Error),
    /// The tool's code panicked; the panic was logged where it happened.
    #[error("the tool panicked")]
    Panicked,
}

impl From<Vec<Issue>> for Failure {
    fn from(issues: Vec<Issue>) -> Self {
        Self::InvalidArguments(issues)
    }
}

impl From<Issue> for Failure {
    fn from(issue: Issue) -> Self {
        Self::InvalidArguments(vec![issue])
    }
}

impl From<DeskError> for Failure {
    fn from(error: DeskError) -> Self {
        match error {
            DeskError::Refused(refusal) => Self::Refused(refusal),
            DeskError::Fault(error) => Self::Store(error),
        }
    }
}

impl From<ReturnsDeskError> for Failure {
    fn from(error: ReturnsDeskError) -> Self {
        match error {
            ReturnsDeskError::Refused(refusal) => Self::ReturnRefused(refusal),
            ReturnsDeskError::Fault(error) => Self::Store(error),
        }
    }
}

impl From<WarrantyDeskError> for Failure {
    fn from(error: WarrantyDeskError) -> Self {
        match error {
            WarrantyDeskError::Refused(refusal) => Self::WarrantyRefused(refusal),
            WarrantyDeskError::Fault(error) => Self::Store(error),
            WarrantyDeskError::Misconfigured(tier) => Self::Misconfigured(tier),
        }
    }
}

/// How bad arguments are answered.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum ArgumentErrors {
    /// As JSON-RPC error -32602 with all issues in its data: a rejected call can be told from one that
    /// ran and failed.
    Protocol,
    /// As a tool result with `isError`, as the MCP specification advises.
    Tool,
}

impl ArgumentErrors {
    /// The word in the configuration.
    pub(crate) fn as_str(self) -> &'static str {
        match self {
            Self::Protocol => "protocol",
            Self::Tool => "tool",
        }
    }
}

/// The member of a result's `_meta` that holds a refusal's code.
pub(crate) const CODE: &str = "refund-mcp/code";

/// The code of a store that cannot be asked.
const STORE_UNAVAILABLE: &str = "STORE_UNAVAILABLE";

const OUTCOME_UNKNOWN: &str = "The outcome is unknown: the refund may or may not have been made. Make the same call again with the same idempotency_key; it tells what happened and never pays twice. If no idempotency_key was used, look at list_refunds before anything else.";

/// What a result with `isError` looks like. It belongs to the toolset.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ErrorForm {
    /// The reason as text.
    Text,
    /// `{"error": {"code", "category", "message", "details"}}` as text, faults included.
    Structured,
}

/// How an answer to a call speaks.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Speech {
    /// How bad arguments are answered; the toolset's own way where this is not said.
    pub(crate) argument_errors: Option<ArgumentErrors>,
    /// The language.
    pub(crate) language: Language,
    /// Where the days are those that are named.
    pub(crate) zone: TimeZone,
}

/// The answer to a call of a tool.
///
/// # Errors
/// A JSON-RPC error instead of a result: invalid arguments, unless they are to be results, and faults
/// of the server's own code, unless the toolset reports them as results.
pub(crate) fn to_wire(
    tool: &ToolSpec,
    outcome: Result<Success, Failure>,
    speech: Speech,
) -> Result<CallToolResult, ErrorData> {
    let Speech { language, zone, .. } = speech;
    let argument_errors = speech
        .argument_errors
        .unwrap_or(tool.toolset.argument_errors());
    let failure = match outcome {
        Ok(Success { text, value }) => {
            let mut result = CallToolResult::success(vec![ContentBlock::text(text)]);
            result.structured_content = Some(value);
            return Ok(result);
        }
        Err(failure) => failure,
    };
    match (failure, tool.toolset.error_form()) {
        (Failure::InvalidArguments(issues), form)
            if argument_errors == ArgumentErrors::Protocol =>
        {
            let issues = match form {
                ErrorForm::Text => issues,
                ErrorForm::Structured => language.issues(&issues),
            };
            Err(ErrorData::invalid_params(
                invalid_arguments(tool),
                Some(json!({ "issues": issues })),
            ))
        }
        (failure, ErrorForm::Structured) => Ok(structured(tool, &failure, language, zone)),
        (Failure::InvalidArguments(issues), ErrorForm::Text) => {
            let lines = issues.iter().map(|issue| format!("\n- {}", issue.message));
            let text = invalid_arguments(tool) + ":" + &lines.collect::<String>();
            Ok(refused("INVALID_ARGUMENTS", text))
        }
        (Failure::Refused(refusal), ErrorForm::Text) => {
            Ok(refused(refusal.code(), refusal.to_string()))
        }
        (Failure::ReturnRefused(refusal), ErrorForm::Text) => {
            Ok(refused(refusal.code(), language.refusal(&refusal, zone)))
        }
        (Failure::WarrantyRefused(refusal), ErrorForm::Text) => {
            Ok(refused(refusal.code(), refusal.to_string()))
        }
        (Failure::Store(error), ErrorForm::Text) => Ok(store_failed(&error)),
        (Failure::Deadline, ErrorForm::Text) if tool.access == Access::Read => Ok(refused(
            STORE_UNAVAILABLE,
            "The store did not answer in time. Nothing was changed. Try again later.".to_owned(),
        )),
        (Failure::Deadline, ErrorForm::Text) => Ok(refused(
            STORE_UNAVAILABLE,
            format!("The store did not answer in time. {OUTCOME_UNKNOWN}"),
        )),
        (
            Failure::Unwritable(_) | Failure::Panicked | Failure::Misconfigured(_),
            ErrorForm::Text,
        ) => Err(ErrorData::internal_error("Internal error", None)),
    }
}

fn invalid_arguments(tool: &ToolSpec) -> String {
    format!("Invalid arguments for tool {}", tool.name)
}

/// An error as an object that programs can read, with a sentence for the model in it.
fn structured(
    tool: &ToolSpec,
    failure: &Failure,
    language: Language,
    zone: TimeZone,
) -> CallToolResult {
    let fault = |fault: Fault| {
        let (key, outcome) = fault.words(tool.access);
        (
            "INTERNAL_ERROR",
            "INTERNAL",
            language.text(key),
            json!({ "outcome": outcome }),
        )
    };
    let (code, category, message, details) = match failure {
        Failure::InvalidArguments(issues) => (
            "INVALID_INPUT",
            "VALIDATION",
            language.invalid_input(tool.name),
            json!({ "issues": language.issues(issues) }),
        ),
        Failure::ReturnRefused(refusal) => (
            refusal.code(),
            refusal.category().as_str(),
            language.refusal(refusal, zone),
            details(refusal),
        ),
        Failure::Refused(refusal) => (
            refusal.code(),
            "BUSINESS_RULE",
            refusal.to_string(),
            json!({}),
        ),
        Failure::WarrantyRefused(refusal) => {
            (refusal.code(), "NOT_FOUND", refusal.to_string(), json!({}))
        }
        Failure::Store(StoreError::Unavailable(_)) => fault(Fault::Unavailable),
        Failure::Store(StoreError::Full(_)) => fault(Fault::Full),
        Failure::Store(StoreError::Damaged(_)) => fault(Fault::Damaged),
        Failure::Store(StoreError::OutcomeUnknown(_)) | Failure::Deadline => fault(Fault::Late),
        Failure::Unwritable(_) | Failure::Panicked | Failure::Misconfigured(_) => {
            fault(Fault::Ours)
        }
    };
    let error = json!({
        "error": { "code": code, "category": category, "message": message, "details": details }
    });
    refused(code, error.to_string())
}

/// What kept a call from its result, as far as its caller can act on it.
#[derive(Debug, Clone, Copy)]
enum Fault {
    /// The store cannot be asked.
    Unavailable,
    /// The store has no room.
    Full,
    /// The store holds what cannot be true.
    Damaged,
    /// The store was asked and gave no answer.
    Late,
    /// The server's own code failed.
    Ours,
}

impl Fault {
    /// The sentence, and whether anything was changed: a tool that only reads has changed nothing
    /// whatever went wrong.
    fn words(self, access: Access) -> (Key, &'static str) {
        let reads = access == Access::Read;
        match self {
            Self::Full => (Key::StoreFull, "unchanged"),
            Self::Damaged => (Key::StoreDamaged, "unchanged"),
            Self::Unavailable => (Key::StoreUnavailable, "unchanged"),
            Self::Late if reads => (Key::StoreUnavailable, "unchanged"),
            Self::Ours if reads => (Key::InternalError, "unchanged"),
            Self::Late | Self::Ours => (Key::InternalErrorUnknown, "unknown"),
        }
    }
}

/// What programs need to know about a refusal.
fn details(refusal: &ReturnsRefusal) -> Value {
    match refusal {
        ReturnsRefusal::UserNotFound { user_id } => json!({ "user_id": user_id.as_str() }),
        ReturnsRefusal::OrderNotFound { order_id } => json!({ "order_id": order_id.as_str() }),
        ReturnsRefusal::NotEligible {
            order_id,
            reason,
            deadline_date,
        } => json!({
            "order_id": order_id.as_str(),
            "reason": reason.as_str(),
            "deadline_date": deadline_date.to_string(),
        }),
        ReturnsRefusal::SessionClosed { session_id } => {
            json!({ "session_id": session_id.as_str() })
        }
        ReturnsRefusal::IdempotencyConflict { key, earlier } => match earlier {
            EarlierCall::Return {
                return_id,
                order_id,
            } => json!({
                "idempotency_key": key.as_str(),
                "tool": returns::TOOL,
                "return_id": return_id.to_string(),
                "order_id": order_id.as_str(),
            }),
            EarlierCall::Turn {
                session_id,
                turn_count,
            } => json!({
                "idempotency_key": key.as_str(),
                "tool": escalation::TOOL,
                "session_id": session_id.as_str(),
                "turn_count": turn_count.number(),
            }),
            EarlierCall::OtherTool(tool) => {
                json!({ "idempotency_key": key.as_str(), "tool": tool.as_str() })
            }
        },
    }
}

fn store_failed(error: &StoreError) -> CallToolResult {
    match error {
        StoreError::Unavailable(_) => refused(
            STORE_UNAVAILABLE,
            "The store does not answer at the moment. Nothing was moved. Try again later.".to_owned(),
        ),
        StoreError::OutcomeUnknown(_) => refused(
            STORE_UNAVAILABLE,
            format!("The store failed while it saved the refund. {OUTCOME_UNKNOWN}"),
        ),
        StoreError::Full(_) => refused(
            "STORE_FULL",
            "The store has no room left. Nothing was moved. Its operator has to make room; then try again.".to_owned(),
        ),
        StoreError::Damaged(_) => refused(
            STORE_UNAVAILABLE,
            "The store's data is damaged. Nothing was moved. Its operator has to look at it with `refund-mcp check`.".to_owned(),
        ),
    }
}

/// A result that says why not. Text only: clients that check `structuredContent` against the output
/// schema would hide the text.
fn refused(code: &str, text: String) -> CallToolResult {
    let mut meta = MetaObject::default();
    meta.insert(CODE.to_owned(), Value::from(code));
    CallToolResult::error(vec![ContentBlock::text(text)]).with_meta(Some(meta))
}

/// One word for the log.
pub(crate) fn word(outcome: &Result<Success, Failure>) -> &'static str {
    match outcome {
        Ok(_) => "ok",
        Err(Failure::InvalidArguments(_)) => "invalid_arguments",
        Err(Failure::Refused(refusal)) => refusal.code(),
        Err(Failure::ReturnRefused(refusal)) => refusal.code(),
        Err(Failure::WarrantyRefused(refusal)) => refusal.code(),
        Err(Failure::Misconfigured(_)) => "misconfigured",
        Err(Failure::Store(_)) => "store_failed",
        Err(Failure::Deadline) => "deadline",
        Err(Failure::Unwritable(_) | Failure::Panicked) => "fault",
    }
}
