//! The issues of bad arguments, from the kinds that `refund-schema` knows.

use fluent_bundle::FluentArgs;
use refund_schema::{Issue, JsonType, Problem, TextForm};

use super::{Key, Language, args};

impl Language {
    /// Issues in this language. Paths, codes and the names of fields stay as they are.
    pub(crate) fn issues(self, issues: &[Issue]) -> Vec<Issue> {
        let issues = issues.iter();
        issues
            .map(|issue| Issue {
                message: self.problem(&issue.problem),
                ..issue.clone()
            })
            .collect()
    }

    fn problem(self, problem: &Problem) -> String {
        let (key, args): (Key, FluentArgs<'_>) = match problem {
            Problem::NoArguments { wanted } => (
                Key::IssueNoArguments,
                args([("keys", self.listed(wanted).into())]),
            ),
            Problem::NoObject { wanted, found } => (
                Key::IssueNoObject,
                args([
                    ("keys", self.listed(wanted).into()),
                    ("type", self.text(json_type(*found)).into()),
                ]),
            ),
            Problem::Unreadable { line, column } => (
                Key::IssueUnreadable,
                args([("line", (*line).into()), ("column", (*column).into())]),
            ),
            Problem::Missing { key, form: None } => {
                (Key::IssueMissing, args([("key", key.as_str().into())]))
            }
            Problem::Missing {
                key,
                form: Some(form),
            } => (
                Key::IssueMissingForm,
                args([
                    ("key", key.as_str().into()),
                    ("form", self.form(form).into()),
                ]),
            ),
            Problem::Repeated { key } => (Key::IssueRepeated, args([("key", key.as_str().into())])),
            Problem::Unknown {
                key,
                nearest,
                legal,
            } => {
                let mut args = args([
                    ("key", key.as_str().into()),
                    ("keys", self.listed(legal).into()),
                ]);
                match nearest {
                    None => (Key::IssueUnknown, args),
                    Some(nearest) => {
                        args.set("nearest", nearest.as_str());
                        (Key::IssueUnknownNear, args)
                    }
                }
            }
            Problem::MoreUnknown { count, legal } => (
                Key::IssueMoreUnknown,
                args([
                    ("count", (*count).into()),
                    ("keys", self.listed(legal).into()),
                ]),
            ),
            Problem::NoText { key, found } => (
                Key::IssueNoText,
                args([
                    ("key", key.as_str().into()),
                    ("type", self.text(json_type(*found)).into()),
                ]),
            ),
            Problem::HalfPair { key } => (Key::IssueHalfPair, args([("key", key.as_str().into())])),
            Problem::TooShort {
                key,
                least: limit,
                found,
                trimmed,
            } => (
                if *trimmed {
                    Key::IssueTooShortTrimmed
                } else {
                    Key::IssueTooShort
                },
                length(key, *limit, *found),
            ),
            Problem::TooLong {
                key,
                most: limit,
                found,
                trimmed,
            } => (
                if *trimmed {
                    Key::IssueTooLongTrimmed
                } else {
                    Key::IssueTooLong
                },
                length(key, *limit, *found),
            ),
            Problem::Form { key, form, found } => (
                Key::IssueForm,
                args([
                    ("key", key.as_str().into()),
                    ("form", self.form(form).into()),
                    ("found", found.as_str().into()),
                ]),
            ),
            Problem::KeysDiffer { member } => {
                (Key::IssueKeysDiffer, args([("member", (*member).into())]))
            }
            // No tool of this toolset has an argument that could be wrong in another way.
            Problem::Other(words) => return words.clone(),
        };
        self.say(key, &args)
    }

    fn form(self, form: &TextForm) -> String {
        match form {
            TextForm::NotBlank => self.text(Key::FormNotBlank),
            TextForm::VisibleAscii => self.text(Key::FormVisibleAscii),
            TextForm::Other(words) => words.clone(),
        }
    }

    /// Names one after the other, as a sentence has them.
    fn listed(self, names: &[String]) -> String {
        match (self, names) {
            (Self::En, [rest @ .., last]) if !rest.is_empty() => {
                format!("{} and {last}", rest.join(", "))
            }
            (Self::En, _) => names.join(", "),
            (Self::Ja, _) => names.join("、"),
        }
    }
}

fn length(key: &str, limit: u64, found: u64) -> FluentArgs<'_> {
    args([
        ("key", key.into()),
        ("limit", limit.into()),
        ("found", found.into()),
    ])
}

fn json_type(found: JsonType) -> Key {
    match found {
        JsonType::Null => Key::JsonNull,
        JsonType::Boolean => Key::JsonBoolean,
        JsonType::Number => Key::JsonNumber,
        JsonType::String => Key::JsonString,
        JsonType::Array => Key::JsonArray,
        JsonType::Object => Key::JsonObject,
    }
}
