//! The link between a text argument and its domain type: the text is parsed once, by the domain's one
//! constructor, and kept beside the result so that garde can judge it.

use std::borrow::Cow;
use std::fmt;

use garde::rules::AsStr;
use garde::rules::length::chars::HasChars;
use refund_domain::{
    CustomerId, IdempotencyKey, OrderId, Reason, RefundId, RefundPosition, ReturnReason, SessionId,
    UserId, UserMessage,
};
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Deserializer, de};

/// A text and what the domain made of it. A JSON string in schemas; the rules stand in the attributes
/// of the types in `argument.rs`.
#[derive(Clone)]
pub(crate) struct Text<T> {
    text: String,
    value: T,
}

impl<T> Text<T> {
    /// What the domain made of it.
    pub(crate) fn into_value(self) -> T {
        self.value
    }
}

/// A domain type that is written as a text.
pub(crate) trait FromText: Sized {
    /// The part of the text that counts; the rules are about this part.
    fn meant(text: &str) -> &str {
        text
    }

    /// The domain's constructor; the error is a sentence without the text.
    fn from_text(text: &str) -> Result<Self, String>;
}

impl FromText for CustomerId {
    fn from_text(text: &str) -> Result<Self, String> {
        Self::new(text).map_err(|error| error.to_string())
    }
}

impl FromText for RefundId {
    fn from_text(text: &str) -> Result<Self, String> {
        Self::new(text).map_err(|error| error.to_string())
    }
}

impl FromText for Reason {
    fn meant(text: &str) -> &str {
        text.trim()
    }

    fn from_text(text: &str) -> Result<Self, String> {
        Self::new(text).map_err(|error| error.to_string())
    }
}

impl FromText for ReturnReason {
    fn meant(text: &str) -> &str {
        text.trim()
    }

    fn from_text(text: &str) -> Result<Self, String> {
        Self::new(text).map_err(|error| error.to_string())
    }
}

impl FromText for UserId {
    fn from_text(text: &str) -> Result<Self, String> {
        Self::new(text).map_err(|error| error.to_string())
    }
}

impl FromText for OrderId {
    fn from_text(text: &str) -> Result<Self, String> {
        Self::new(text).map_err(|error| error.to_string())
    }
}

impl FromText for SessionId {
    fn from_text(text: &str) -> Result<Self, String> {
        Self::new(text).map_err(|error| error.to_string())
    }
}

impl FromText for UserMessage {
    fn from_text(text: &str) -> Result<Self, String> {
        Self::new(text).map_err(|error| error.to_string())
    }
}

impl FromText for IdempotencyKey {
    fn from_text(text: &str) -> Result<Self, String> {
        Self::new(text).map_err(|error| error.to_string())
    }
}

impl FromText for RefundPosition {
    fn from_text(text: &str) -> Result<Self, String> {
        Self::parse(text)
            .ok_or_else(|| "a cursor is the nextCursor of an earlier answer".to_owned())
    }
}

impl<'de, T: FromText> Deserialize<'de> for Text<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        let value = T::from_text(&text).map_err(de::Error::custom)?;
        Ok(Self {
            text: T::meant(&text).to_owned(),
            value,
        })
    }
}

impl<T> JsonSchema for Text<T> {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> Cow<'static, str> {
        Cow::Borrowed("Text")
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({ "type": "string" })
    }
}

impl<T> AsStr for Text<T> {
    fn as_str(&self) -> &str {
        &self.text
    }
}

impl<T> HasChars for Text<T> {
    fn num_chars(&self) -> usize {
        self.text.chars().count()
    }
}

/// As the domain shows it: personal data hides itself there.
impl<T: fmt::Debug> fmt::Debug for Text<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.value.fmt(f)
    }
}
