//! What is wrong with an argument: a kind with its parameters, so that it can be said in any language.
//! The English words stand here, and are what an issue's message says.

use std::fmt;

/// One problem of the arguments.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Problem {
    /// The call has no arguments, or null.
    NoArguments {
        /// The keys that it must have.
        wanted: Vec<String>,
    },
    /// The arguments are no object.
    NoObject {
        /// The keys that they must have.
        wanted: Vec<String>,
        /// What they are.
        found: JsonType,
    },
    /// The arguments are no JSON text that can be read. Lines and columns count from 1.
    Unreadable {
        /// Where reading ended.
        line: usize,
        /// Where reading ended, in its line.
        column: usize,
    },
    /// A text that must come and did not.
    Missing {
        /// The key.
        key: String,
        /// The form asked for, if any.
        form: Option<TextForm>,
    },
    /// A key that came more than once.
    Repeated {
        /// The key; quoted where the tool does not have it.
        key: String,
    },
    /// A key that the tool does not have.
    Unknown {
        /// The key, quoted.
        key: String,
        /// The key that was probably meant.
        nearest: Option<String>,
        /// The keys that the tool has, the nearest first.
        legal: Vec<String>,
    },
    /// More such keys than are named one by one.
    MoreUnknown {
        /// How many.
        count: usize,
        /// The keys that the tool has.
        legal: Vec<String>,
    },
    /// Something else where a text is asked for.
    NoText {
        /// The key.
        key: String,
        /// What it is.
        found: JsonType,
    },
    /// A text with half of a surrogate pair in it.
    HalfPair {
        /// The key.
        key: String,
    },
    /// A text with too few characters.
    TooShort {
        /// The key.
        key: String,
        /// The least number of characters.
        least: u64,
        /// The number found.
        found: u64,
        /// Whether white space at the ends is not counted.
        trimmed: bool,
    },
    /// A text with too many characters.
    TooLong {
        /// The key.
        key: String,
        /// The greatest number of characters.
        most: u64,
        /// The number found.
        found: u64,
        /// Whether white space at the ends is not counted.
        trimmed: bool,
    },
    /// A text of another form.
    Form {
        /// The key.
        key: String,
        /// The form asked for.
        form: TextForm,
        /// The text, quoted and cut.
        found: String,
    },
    /// The idempotency keys of the arguments and of the request's `_meta` differ.
    KeysDiffer {
        /// Where the second one stands.
        member: &'static str,
    },
    /// Another problem, in English words.
    Other(String),
}

/// The form of a text, beyond its length.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum TextForm {
    /// Any text that is not blank.
    NotBlank,
    /// An idempotency key.
    VisibleAscii,
    /// Another form, in English words.
    Other(String),
}

impl TextForm {
    /// The English words for [`TextForm::NotBlank`].
    pub(crate) const NOT_BLANK: &str = "a text that is not blank";
    /// The English words for [`TextForm::VisibleAscii`].
    pub(crate) const VISIBLE_ASCII: &str =
        "visible ASCII characters without blanks, such as ticket-4711-line-1";

    pub(crate) fn of(words: &str) -> Self {
        match words {
            Self::NOT_BLANK => Self::NotBlank,
            Self::VISIBLE_ASCII => Self::VisibleAscii,
            other => Self::Other(other.to_owned()),
        }
    }
}

impl fmt::Display for TextForm {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::NotBlank => Self::NOT_BLANK,
            Self::VisibleAscii => Self::VISIBLE_ASCII,
            Self::Other(words) => words,
        })
    }
}

impl From<String> for Problem {
    fn from(words: String) -> Self {
        Self::Other(words)
    }
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NoArguments { wanted } => write!(
                f,
                "arguments are required: expected an object with {}",
                listed(wanted, "and")
            ),
            Self::NoObject { wanted, found } => write!(
                f,
                "arguments: expected an object with {}, found {}",
                listed(wanted, "and"),
                found.noun()
            ),
            Self::Unreadable { line, column } => write!(
                f,
                "arguments: expected an object, found JSON that cannot be read (line {line}, column {column})"
            ),
            Self::Missing { key, form: None } => {
                write!(f, "{key} is required: expected a string")
            }
            Self::Missing {
                key,
                form: Some(form),
            } => write!(f, "{key} is required: expected a string, {form}"),
            Self::Repeated { key } => write!(f, "{key} was given more than once; give it once"),
            Self::Unknown {
                key,
                nearest: None,
                legal,
            } => write!(
                f,
                "unknown key {key}: the legal keys are {}",
                listed(legal, "and")
            ),
            Self::Unknown {
                key,
                nearest: Some(nearest),
                legal,
            } => write!(
                f,
                "unknown key {key} (did you mean {nearest}?): the legal keys are {}",
                listed(legal, "and")
            ),
            Self::MoreUnknown { count, legal } => write!(
                f,
                "unknown keys besides those named: {count}; the legal keys are {}",
                listed(legal, "and")
            ),
            Self::NoText { key, found } => {
                write!(f, "{key}: expected a string, found {}", found.noun())
            }
            Self::HalfPair { key } => write!(
                f,
                "{key}: expected a string of Unicode characters, found one with half of a surrogate pair as an escape"
            ),
            Self::TooShort {
                key,
                least,
                found,
                trimmed,
            } => write!(
                f,
                "{key} must have at least {least} {}, found {found}",
                counted(*trimmed)
            ),
            Self::TooLong {
                key,
                most,
                found,
                trimmed,
            } => write!(
                f,
                "{key} must have at most {most} {}, found {found}",
                counted(*trimmed)
            ),
            Self::Form { key, form, found } => write!(f, "{key} must be {form}; found {found}"),
            Self::KeysDiffer { member } => write!(
                f,
                "{member} and the argument idempotency_key differ; send the key in one place, or the same key in both"
            ),
            Self::Other(words) => f.write_str(words),
        }
    }
}

fn counted(trimmed: bool) -> &'static str {
    if trimmed {
        "characters, not counting white space at its ends"
    } else {
        "characters"
    }
}

/// `a`, `a and b`, `a, b and c`.
pub(crate) fn listed<S: AsRef<str>>(names: &[S], word: &str) -> String {
    let names: Vec<&str> = names.iter().map(AsRef::as_ref).collect();
    match names.split_last() {
        None => "none".to_owned(),
        Some((last, [])) => (*last).to_owned(),
        Some((last, rest)) => format!("{} {word} {last}", rest.join(", ")),
    }
}

/// What a JSON text is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum JsonType {
    /// `null`.
    Null,
    /// `true` or `false`.
    Boolean,
    /// A number.
    Number,
    /// A string.
    String,
    /// An array.
    Array,
    /// An object.
    Object,
}

impl JsonType {
    /// The type of a text that was read as JSON before, told by its first byte.
    pub(crate) fn of(text: &str) -> Self {
        match text.trim_ascii_start().as_bytes().first() {
            Some(b'"') => Self::String,
            Some(b'[') => Self::Array,
            Some(b'{') => Self::Object,
            Some(b't' | b'f') => Self::Boolean,
            Some(b'-' | b'0'..=b'9') => Self::Number,
            _ => Self::Null,
        }
    }

    pub(crate) fn noun(self) -> &'static str {
        match self {
            Self::Null => "null",
            Self::Boolean => "a boolean",
            Self::Number => "a number",
            Self::String => "a string",
            Self::Array => "an array",
            Self::Object => "an object",
        }
    }
}
