//! The one way from the text of a call's arguments to the type of a tool's input.

use garde::Validate;
use schemars::JsonSchema;
use serde::de::DeserializeOwned;
use serde::de::value::{MapAccessDeserializer, MapDeserializer};
use serde_json::value::RawValue;

use crate::issue::{Issue, IssueCode, PathSegment};
use crate::object::Object;
use crate::problem::{JsonType, Problem};
use crate::rules::Rules;

/// The arguments of a tool: a type whose attributes are the rules.
pub trait ToolInput: DeserializeOwned + JsonSchema + Validate<Context = ()> {
    /// The rules, compiled once: [`Rules::of`] in a `static`.
    fn rules() -> &'static Rules;
}

/// Decodes the arguments of a call from their JSON text; `None` where the call has none.
///
/// # Errors
/// Every problem of the arguments at once, in the schema's order (`docs/decisions/argument-decoding.md`).
pub fn decode<T: ToolInput>(arguments: Option<&str>) -> Result<T, Vec<Issue>> {
    let rules = T::rules();
    let object = read(arguments, rules).map_err(|issue| vec![issue])?;
    let issues = rules.judge(&object);
    if !issues.is_empty() {
        return Err(issues);
    }
    let input = build::<T>(&object).map_err(|error| vec![left_over(&error)])?;
    match input.validate() {
        Ok(()) => Ok(input),
        Err(report) => Err(report.iter().map(outside_the_schema).collect()),
    }
}

fn read<'a>(arguments: Option<&'a str>, rules: &Rules) -> Result<Object<'a>, Issue> {
    let text = arguments.unwrap_or("null");
    let found = JsonType::of(text);
    if found == JsonType::Object {
        return Object::read(text).map_err(|error| unreadable(&error));
    }
    // Half a text is not called by the type that its first byte promises.
    serde_json::from_str::<&RawValue>(text).map_err(|error| unreadable(&error))?;
    Err(if found == JsonType::Null {
        Issue::of_all(IssueCode::Required, rules.no_object(None))
    } else {
        Issue::of_all(IssueCode::InvalidType, rules.no_object(Some(found)))
    })
}

/// The parser's own words are about JSON, not about the call; the place tells as much.
fn unreadable(error: &serde_json::Error) -> Issue {
    let problem = Problem::Unreadable {
        line: error.line(),
        column: error.column(),
    };
    Issue::of_all(IssueCode::InvalidType, problem)
}

/// Each value goes to its field as text, so that a number arrives as it was written.
fn build<T: DeserializeOwned>(object: &Object<'_>) -> Result<T, serde_json::Error> {
    let entries = object
        .entries()
        .iter()
        .map(|entry| (entry.key.as_str(), entry.value));
    T::deserialize(MapAccessDeserializer::new(MapDeserializer::new(entries)))
}

/// A rule that only serde or a domain type knows. The tests know of none.
fn left_over(error: &serde_json::Error) -> Issue {
    let message = format!("arguments cannot be used: {error}");
    Issue::of_all(IssueCode::Custom, message.into())
}

/// A rule that only garde knows. The tests know of none.
fn outside_the_schema((path, error): &(garde::Path, garde::Error)) -> Issue {
    let path = path.to_string();
    let problem = Problem::Other(format!("{path} {error}"));
    let path = if path.is_empty() {
        Vec::new()
    } else {
        vec![PathSegment::Key(path)]
    };
    Issue::at(path, IssueCode::Custom, problem)
}
