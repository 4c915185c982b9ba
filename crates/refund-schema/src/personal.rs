//! A text that holds personal data and hides itself in `Debug`.

use std::fmt;

use schemars::JsonSchema;
use serde::Serialize;

/// Personal data on its way to the caller, and nowhere else.
#[derive(Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(transparent)]
pub(crate) struct Personal(String);

impl Personal {
    pub(crate) fn new(text: &str) -> Self {
        Self(text.to_owned())
    }
}

impl fmt::Debug for Personal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("(…)")
    }
}
