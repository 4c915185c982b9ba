//! What is wrong with a call's arguments, in the form in which clients get it.

use serde::{Serialize, Serializer};

use crate::problem::Problem;

/// One problem. A call's problems are answered together.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Issue {
    /// Where: the keys from the arguments down. Empty for the arguments as a whole.
    pub path: Vec<PathSegment>,
    /// What, for programs.
    pub code: IssueCode,
    /// What, as one sentence with which a model can correct the call: in English, the words of
    /// `problem`.
    pub message: String,
    /// What, for those who say it in another language.
    #[serde(skip)]
    pub problem: Box<Problem>,
}

/// A step into the arguments.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum PathSegment {
    /// A key of an object.
    Key(String),
    /// A place in an array, from 0.
    Index(usize),
}

/// The kinds of problems. The words on the wire are a contract.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum IssueCode {
    /// A key that came twice.
    DuplicateKey,
    /// A key, or the arguments themselves, that did not come.
    Required,
    /// A key that the tool does not have.
    UnknownKey,
    /// Another JSON type than the one asked for. Nothing is coerced.
    InvalidType,
    /// A text that does not have the form asked for.
    Pattern,
    /// A number below its limit.
    TooSmall,
    /// A number above its limit.
    TooBig,
    /// A text with too few characters.
    TooShort,
    /// A text with too many characters.
    TooLong,
    /// A rule that JSON Schema cannot say, or says only for the arguments as a whole.
    Custom,
}

impl Issue {
    /// A problem of one key.
    pub(crate) fn of_key(key: &str, code: IssueCode, problem: Problem) -> Self {
        Self::at(vec![PathSegment::Key(key.to_owned())], code, problem)
    }

    /// A problem of the arguments as a whole.
    pub(crate) fn of_all(code: IssueCode, problem: Problem) -> Self {
        Self::at(Vec::new(), code, problem)
    }

    /// A key that came twice in its object. Its place may be in the client's words; they are cut.
    pub fn repeated(mut path: Vec<PathSegment>) -> Self {
        let mut last = String::new();
        for segment in &mut path {
            if let PathSegment::Key(key) = segment {
                last = quoted(key);
                *key = path_key(key);
            }
        }
        Self::at(
            path,
            IssueCode::DuplicateKey,
            Problem::Repeated { key: last },
        )
    }

    /// A problem at a place.
    pub fn at(path: Vec<PathSegment>, code: IssueCode, problem: Problem) -> Self {
        Self {
            path,
            code,
            message: problem.to_string(),
            problem: Box::new(problem),
        }
    }
}

impl Serialize for PathSegment {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Key(key) => serializer.serialize_str(key),
            Self::Index(index) => serializer.serialize_u64(*index as u64),
        }
    }
}

/// Most characters of a client's text that an answer repeats.
const MOST_SHOWN: usize = 64;

/// A client's text as a message may repeat it: cut, quoted, and with everything escaped that could
/// hide or reorder what a reader sees.
pub(crate) fn quoted(text: &str) -> String {
    let shown = cut(text);
    let more = if shown.len() < text.len() { "…" } else { "" };
    format!("\"{}{more}\"", shown.escape_debug())
}

/// A client's key as a path may repeat it. A key that is longer than any real one is cut, so that the
/// size of an answer does not depend on what was sent.
pub(crate) fn path_key(key: &str) -> String {
    let shown = cut(key);
    let more = if shown.len() < key.len() { "…" } else { "" };
    format!("{shown}{more}")
}

fn cut(text: &str) -> &str {
    match text.char_indices().nth(MOST_SHOWN) {
        Some((end, _)) => text.get(..end).unwrap_or_default(),
        None => text,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn on_the_wire() {
        let issue = Issue::at(
            vec![PathSegment::Key("lines".to_owned()), PathSegment::Index(2)],
            IssueCode::InvalidType,
            "expected a number".to_owned().into(),
        );
        assert_eq!(
            serde_json::to_string(&issue).unwrap(),
            r#"{"path":["lines",2],"code":"invalid_type","message":"expected a number"}"#
        );
        for (code, word) in [
            (IssueCode::DuplicateKey, "duplicate_key"),
            (IssueCode::Required, "required"),
            (IssueCode::UnknownKey, "unknown_key"),
            (IssueCode::InvalidType, "invalid_type"),
            (IssueCode::Pattern, "pattern"),
            (IssueCode::TooSmall, "too_small"),
            (IssueCode::TooBig, "too_big"),
            (IssueCode::TooShort, "too_short"),
            (IssueCode::TooLong, "too_long"),
            (IssueCode::Custom, "custom"),
        ] {
            assert_eq!(serde_json::to_value(code).unwrap(), word);
        }
    }

    #[test]
    fn a_key_that_came_twice_is_named_by_its_place() {
        let key = |key: &str| PathSegment::Key(key.to_owned());
        let issue = Issue::repeated(vec![key("_meta"), PathSegment::Index(0), key("a\nb")]);
        assert_eq!(
            serde_json::to_string(&issue).unwrap(),
            r#"{"path":["_meta",0,"a\nb"],"code":"duplicate_key","message":"\"a\\nb\" was given more than once; give it once"}"#
        );
        let long = Issue::repeated(vec![key(&"k".repeat(1000))]);
        assert!(serde_json::to_string(&long).unwrap().len() < 300);
    }

    #[test]
    fn what_is_repeated_is_cut_and_escaped() {
        assert_eq!(quoted("a\"b\n\u{202e}c"), r#""a\"b\n\u{202e}c""#);
        assert_eq!(
            quoted(&"🎉".repeat(65)),
            format!("\"{}…\"", "🎉".repeat(64))
        );
        assert_eq!(path_key(&"k".repeat(64)), "k".repeat(64));
        assert_eq!(path_key(&"k".repeat(65)), format!("{}…", "k".repeat(64)));
    }
}
