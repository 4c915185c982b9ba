//! `get_open_returns_for_device`: what it takes and gives.

use std::sync::LazyLock;

use garde::Validate;
use refund_domain::warranty::{Identifier, OpenReturn, OpenReturnsAnswer};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::decode::ToolInput;
use crate::personal::Personal;
use crate::rules::Rules;
use crate::warranty_argument::IdentifierArgument;

/// The arguments of `get_open_returns_for_device`.
#[derive(Debug, Clone, Deserialize, JsonSchema, Validate)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct GetOpenReturnsForDeviceInput {
    /// The unit's id, to the letter as find_device or search_devices gave it, as a string, for example
    /// "AX2-0001-0002".
    #[garde(dive)]
    device_id: IdentifierArgument,
}

impl ToolInput for GetOpenReturnsForDeviceInput {
    fn rules() -> &'static Rules {
        static RULES: LazyLock<Rules> = LazyLock::new(Rules::of::<GetOpenReturnsForDeviceInput>);
        &RULES
    }
}

impl From<GetOpenReturnsForDeviceInput> for Identifier {
    fn from(input: GetOpenReturnsForDeviceInput) -> Self {
        input.device_id.into_domain()
    }
}

/// The answer of `get_open_returns_for_device`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct GetOpenReturnsForDeviceOutput {
    /// The unit's id.
    device_id: Personal,
    /// How many returns of the unit are open.
    count: u64,
    /// The open returns, the oldest first, at most 40.
    returns: Vec<ListedReturn>,
    /// What this answer is and is not, and what to do next.
    note: String,
}

/// Most returns that are listed, so that the longest answer stays below 60 KB.
const MOST_LISTED: usize = 40;

/// An open return.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct ListedReturn {
    /// The return's number.
    rma_number: String,
    /// How far the return has come.
    status: String,
    /// When the return was opened: ISO 8601, UTC, with milliseconds.
    created_at: String,
}

impl From<&OpenReturn> for ListedReturn {
    fn from(open: &OpenReturn) -> Self {
        Self {
            rma_number: open.rma_number.to_string(),
            status: open.status.to_string(),
            created_at: open.created_at.to_string(),
        }
    }
}

impl From<&OpenReturnsAnswer> for GetOpenReturnsForDeviceOutput {
    fn from(answer: &OpenReturnsAnswer) -> Self {
        Self {
            device_id: Personal::new(answer.serial.as_str()),
            count: answer.returns.len() as u64,
            returns: answer
                .returns
                .iter()
                .take(MOST_LISTED)
                .map(ListedReturn::from)
                .collect(),
            note: answer.note(),
        }
    }
}
