//! What a call came to, and the one place that turns it into what goes over the wire.
//!
//! Three kinds of bad news are never mixed: *invalid arguments* (nothing was executed), a *refusal*
//! (the rules say no; the model reads why), a *fault* (logged whole, sent as a fixed sentence).

use clap::ValueEnum;
use refund_domain::{DeskError, Refusal, StoreError};
use refund_schema::Issue;
use rmcp::ErrorData;
use rmcp::model::{CallToolResult, ContentBlock, MetaObject};
use serde::Serialize;
use serde_json::{Value, json};

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
        let value = serde_json::to_value(output).map_err(Failure::Unwritable)?;
        Ok(Self {
            text: value.to_string(),
            value,
        })
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

/// The answer to a call.
///
/// # Errors
/// A JSON-RPC error instead of a result: invalid arguments, unless they are to be results, and faults
/// of the server's own code.
pub(crate) fn to_wire(
    tool: &str,
    outcome: Result<Success, Failure>,
    argument_errors: ArgumentErrors,
) -> Result<CallToolResult, ErrorData> {
    match outcome {
        Ok(Success { text, value }) => {
            let mut result = CallToolResult::success(vec![ContentBlock::text(text)]);
            result.structured_content = Some(value);
            Ok(result)
        }
        Err(Failure::InvalidArguments(issues)) => {
            let message = format!("Invalid arguments for tool {tool}");
            match argument_errors {
                ArgumentErrors::Protocol => Err(ErrorData::invalid_params(
                    message,
                    Some(json!({ "issues": issues })),
                )),
                ArgumentErrors::Tool => {
                    let lines = issues.iter().map(|issue| format!("\n- {}", issue.message));
                    Ok(refused(
                        "INVALID_ARGUMENTS",
                        message + ":" + &lines.collect::<String>(),
                    ))
                }
            }
        }
        Err(Failure::Refused(refusal)) => Ok(refused(refusal.code(), refusal.to_string())),
        Err(Failure::Store(error)) => Ok(store_failed(&error)),
        Err(Failure::Deadline) => Ok(refused(
            STORE_UNAVAILABLE,
            format!("The store did not answer in time. {OUTCOME_UNKNOWN}"),
        )),
        Err(Failure::Unwritable(_) | Failure::Panicked) => {
            Err(ErrorData::internal_error("Internal error", None))
        }
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
        Err(Failure::Store(_)) => "store_failed",
        Err(Failure::Deadline) => "deadline",
        Err(Failure::Unwritable(_) | Failure::Panicked) => "fault",
    }
}
