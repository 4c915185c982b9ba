//! The idempotency key that a client may send beside the arguments, in the request's `_meta`.

use refund_domain::IdempotencyKey;
use serde_json::value::RawValue;
use std::sync::LazyLock;

use crate::argument::IdempotencyKeyArgument;
use crate::issue::{Issue, IssueCode, PathSegment};
use crate::problem::Problem;
use crate::rules::{KeyRule, RulesError};

/// The key of the idempotency key in a request's `_meta`, for clients that retry by themselves.
pub const IDEMPOTENCY_KEY_META: &str = "refund-mcp/idempotency-key";

/// Reads the value of [`IDEMPOTENCY_KEY_META`] from its JSON text, by the rules of the argument
/// `idempotency_key`.
///
/// # Errors
/// The first problem of the value.
pub fn idempotency_key_from_meta(raw_json_value: &str) -> Result<IdempotencyKey, Issue> {
    static RULE: LazyLock<Result<KeyRule, RulesError>> =
        LazyLock::new(|| KeyRule::of::<IdempotencyKeyArgument>(IDEMPOTENCY_KEY_META));

    let raw = serde_json::from_str::<&RawValue>(raw_json_value).map_err(|error| {
        issue(
            IssueCode::InvalidType,
            format!("{IDEMPOTENCY_KEY_META}: {error}").into(),
        )
    })?;
    let faults = match &*RULE {
        Ok(rule) => rule.judge(raw),
        Err(error) => vec![(IssueCode::Custom, error.to_string().into())],
    };
    if let Some((code, problem)) = faults.into_iter().next() {
        return Err(issue(code, problem));
    }
    serde_json::from_str::<IdempotencyKeyArgument>(raw.get())
        .map(IdempotencyKeyArgument::into_domain)
        .map_err(|error| {
            issue(
                IssueCode::Custom,
                format!("{IDEMPOTENCY_KEY_META}: {error}").into(),
            )
        })
}

/// The one key of a call that may have it in two places.
pub(crate) fn merge(
    argument: Option<IdempotencyKey>,
    meta: Option<IdempotencyKey>,
) -> Result<Option<IdempotencyKey>, Issue> {
    match (argument, meta) {
        (Some(argument), Some(meta)) if argument != meta => Err(issue(
            IssueCode::Custom,
            Problem::KeysDiffer {
                member: IDEMPOTENCY_KEY_META,
            },
        )),
        (argument, meta) => Ok(argument.or(meta)),
    }
}

fn issue(code: IssueCode, problem: Problem) -> Issue {
    let path = ["_meta", IDEMPOTENCY_KEY_META].map(|key| PathSegment::Key(key.to_owned()));
    Issue::at(path.to_vec(), code, problem)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn judged_like_the_argument() {
        assert_eq!(
            idempotency_key_from_meta(r#" "ticket-4711" "#),
            Ok(IdempotencyKey::new("ticket-4711").unwrap())
        );
        let long = format!("\"{}\"", "k".repeat(256));
        for (text, code) in [
            ("null", IssueCode::InvalidType),
            ("7", IssueCode::InvalidType),
            (
                "{\"$serde_json::private::RawValue\":\"\\\"k\\\"\"}",
                IssueCode::InvalidType,
            ),
            ("\"\\ud800\"", IssueCode::InvalidType),
            ("\"cut", IssueCode::InvalidType),
            ("\"\"", IssueCode::TooShort),
            (&long, IssueCode::TooLong),
            ("\"two words\"", IssueCode::Pattern),
        ] {
            let issue = idempotency_key_from_meta(text).unwrap_err();
            assert_eq!(issue.code, code, "{text}");
            assert_eq!(
                serde_json::to_value(&issue.path).unwrap(),
                serde_json::json!(["_meta", "refund-mcp/idempotency-key"])
            );
        }
    }
}
