//! Judges arguments by the rules, and words what is wrong with them.

use refund_domain::CivilDate;
use serde_json::value::RawValue;

use crate::decimal_text::DecimalText;
use crate::issue::{Issue, IssueCode, path_key, quoted};
use crate::object::Object;
use crate::rules::{KeyRule, Kind, NumberRule, Rules, TextRule};

/// Most characters of a number's text. A longer one is not read, whatever its value.
const MOST_NUMBER_CHARACTERS: usize = 64;

/// Most unknown keys that are named one by one, so that an answer stays small.
const MOST_UNKNOWN_NAMED: usize = 32;

/// Longest unknown key that is compared with the legal ones: none is near to a longer one, and long
/// ones are dear to compare.
const MOST_COMPARED_BYTES: usize = 64;

/// What is wrong with one value.
pub(crate) type Fault = (IssueCode, String);

impl Rules {
    /// Every problem of the arguments: those of the whole, then key by key in the schema's order, then
    /// the unknown keys in the order sent.
    pub(crate) fn judge(&self, object: &Object<'_>) -> Vec<Issue> {
        let mut issues = Vec::new();
        self.judge_count(object, &mut issues);
        for key in &self.keys {
            let faults = match object.get(&key.name) {
                None if key.required => {
                    vec![(
                        IssueCode::Required,
                        format!("{} is required: {}", key.name, key.kind.expected()),
                    )]
                }
                None => Vec::new(),
                Some(entry) if entry.repeated => vec![repeated(&key.name)],
                Some(entry) => key.judge(entry.value),
            };
            issues.extend(
                faults
                    .into_iter()
                    .map(|(code, message)| Issue::of_key(&key.name, code, message)),
            );
        }
        self.judge_unknown(object, &mut issues);
        issues
    }

    /// The names of all keys, for a message.
    pub(crate) fn names(&self) -> String {
        listed(self.keys.iter().map(|key| key.name.as_str()), "and")
    }

    /// The keys that a call must have, for a message.
    pub(crate) fn wanted(&self) -> String {
        let required: Vec<&str> = self
            .keys
            .iter()
            .filter(|key| key.required)
            .map(|key| key.name.as_str())
            .collect();
        if required.is_empty() {
            listed(self.keys.iter().map(|key| key.name.as_str()), "or")
        } else {
            listed(required.into_iter(), "and")
        }
    }

    fn is_known(&self, name: &str) -> bool {
        self.keys.iter().any(|key| key.name == name)
    }

    /// Counts the keys that the tool has: an unknown one has an issue of its own.
    fn judge_count(&self, object: &Object<'_>, issues: &mut Vec<Issue>) {
        let known = self
            .keys
            .iter()
            .filter(|key| object.get(&key.name).is_some());
        let count = known.count() as u64;
        let too_few = self.least_keys.is_some_and(|least| count < least);
        let too_many = self.most_keys.is_some_and(|most| count > most);
        if too_few || too_many {
            let number = match (self.least_keys, self.most_keys) {
                (Some(1), Some(1)) => "exactly one".to_owned(),
                (Some(least), Some(most)) => format!("{least} to {most}"),
                (Some(least), None) => format!("at least {least}"),
                (None, most) => format!("at most {}", most.unwrap_or_default()),
            };
            let message = format!("give {number} of {}", self.names());
            issues.push(Issue::of_all(IssueCode::Custom, message));
        }
    }

    fn judge_unknown(&self, object: &Object<'_>, issues: &mut Vec<Issue>) {
        let unknown: Vec<_> = object
            .entries()
            .iter()
            .filter(|entry| !self.is_known(&entry.key))
            .collect();
        for entry in unknown.iter().take(MOST_UNKNOWN_NAMED) {
            let path = path_key(&entry.key);
            issues.push(Issue::of_key(
                &path,
                IssueCode::UnknownKey,
                self.unknown(&entry.key),
            ));
            if entry.repeated {
                let (code, message) = repeated(&quoted(&entry.key));
                issues.push(Issue::of_key(&path, code, message));
            }
        }
        if let Some(more @ 1..) = unknown.len().checked_sub(MOST_UNKNOWN_NAMED) {
            let message = format!(
                "unknown keys besides those named: {more}; the legal keys are {}",
                self.names()
            );
            issues.push(Issue::of_all(IssueCode::UnknownKey, message));
        }
    }

    /// The legal keys, the one that was probably meant first.
    fn unknown(&self, name: &str) -> String {
        let shown = quoted(name);
        let mut names: Vec<&str> = self.keys.iter().map(|key| key.name.as_str()).collect();
        match self.nearest(name) {
            Some(nearest) => {
                names.retain(|legal| *legal != nearest);
                names.insert(0, nearest);
                let legal = listed(names.into_iter(), "and");
                format!("unknown key {shown} (did you mean {nearest}?): the legal keys are {legal}")
            }
            None => format!("unknown key {shown}: the legal keys are {}", self.names()),
        }
    }

    /// The key that differs from the name by few edits: at most a third of its letters.
    fn nearest(&self, name: &str) -> Option<&str> {
        if name.len() > MOST_COMPARED_BYTES {
            return None;
        }
        let spelled = name.to_ascii_lowercase().replace(['-', ' ', '.'], "_");
        self.keys
            .iter()
            .map(|key| (strsim::osa_distance(&spelled, &key.name), key))
            .filter(|(edits, key)| edits * 3 <= key.name.len())
            .min_by_key(|(edits, _)| *edits)
            .map(|(_, key)| key.name.as_str())
    }
}

impl KeyRule {
    /// Every problem of a value. A wrong type is the only one of its value.
    pub(crate) fn judge(&self, raw: &RawValue) -> Vec<Fault> {
        match &self.kind {
            Kind::Text(rule) => rule.judge(&self.name, raw.get()),
            Kind::Number(rule) => rule.judge(&self.name, raw.get()),
            Kind::Boolean => judge_boolean(&self.name, raw.get()),
        }
    }
}

impl Kind {
    /// What is asked for, for a message.
    fn expected(&self) -> String {
        match self {
            Self::Text(TextRule {
                form: Some(form), ..
            }) => format!("expected a string, {form}"),
            Self::Text(_) => "expected a string".to_owned(),
            Self::Number(rule) => format!("expected {}", rule.noun()),
            Self::Boolean => "expected a boolean".to_owned(),
        }
    }
}

impl TextRule {
    fn judge(&self, name: &str, raw: &str) -> Vec<Fault> {
        let found = JsonType::of(raw);
        if found != JsonType::String {
            let why = match &self.no_number {
                Some(why) if found == JsonType::Number => format!("; send it in quotes, {why}"),
                _ => String::new(),
            };
            let message = format!("{name}: expected a string, found {}{why}", found.noun());
            return vec![(IssueCode::InvalidType, message)];
        }
        // The text was read as JSON before; all that can be wrong now is an escape.
        let Ok(text) = serde_json::from_str::<String>(raw) else {
            let message = format!(
                "{name}: expected a string of Unicode characters, found one with half of a surrogate pair as an escape"
            );
            return vec![(IssueCode::InvalidType, message)];
        };

        let text = if self.trim {
            text.trim()
        } else {
            text.as_str()
        };
        let length = text.chars().count() as u64;
        let counted = if self.trim {
            "characters, not counting white space at its ends"
        } else {
            "characters"
        };
        let mut faults = Vec::new();
        if let Some(least) = self.least.filter(|least| length < *least) {
            let message = format!("{name} must have at least {least} {counted}, found {length}");
            faults.push((IssueCode::TooShort, message));
        }
        if let Some(most) = self.most.filter(|most| length > *most) {
            let message = format!("{name} must have at most {most} {counted}, found {length}");
            faults.push((IssueCode::TooLong, message));
        }
        if let Some(pattern) = self
            .pattern
            .as_ref()
            .filter(|pattern| !pattern.is_match(text))
        {
            let form = match &self.form {
                Some(form) => form.clone(),
                None => format!("a text that matches {pattern}"),
            };
            let message = format!("{name} must be {form}; found {}", quoted(text));
            faults.push((IssueCode::Pattern, message));
        }
        if self.day && faults.is_empty() && CivilDate::parse(text).is_err() {
            let message = format!(
                "{name} must be a day of the calendar; found {}",
                quoted(text)
            );
            faults.push((IssueCode::Custom, message));
        }
        faults
    }
}

impl NumberRule {
    fn judge(&self, name: &str, raw: &str) -> Vec<Fault> {
        let found = JsonType::of(raw);
        if found != JsonType::Number {
            let hint = match found {
                JsonType::String => "; send the number without quotes",
                _ => "",
            };
            let message = format!(
                "{name}: expected {}, found {}{hint}",
                self.noun(),
                found.noun()
            );
            return vec![(IssueCode::InvalidType, message)];
        }
        if raw.len() > MOST_NUMBER_CHARACTERS {
            let message = format!(
                "{name} must be written with at most {MOST_NUMBER_CHARACTERS} characters, found {}",
                raw.len()
            );
            return vec![(IssueCode::TooLong, message)];
        }
        let Some(number) = DecimalText::parse(raw) else {
            let message = format!("{name}: expected {}", self.noun());
            return vec![(IssueCode::InvalidType, message)];
        };
        if self.integer && number.decimal_places() > 0 {
            let message = format!("{name}: expected an integer, found the number {raw}");
            return vec![(IssueCode::InvalidType, message)];
        }

        let mut faults = Vec::new();
        if let Some(above) = self.above.as_ref().filter(|limit| number <= limit.value) {
            let message = format!("{name} must be greater than {}, found {raw}", above.text);
            faults.push((IssueCode::TooSmall, message));
        }
        if let Some(least) = self.least.as_ref().filter(|limit| number < limit.value) {
            let message = format!("{name} must be at least {}, found {raw}", least.text);
            faults.push((IssueCode::TooSmall, message));
        }
        if let Some(most) = self.most.as_ref().filter(|limit| number > limit.value) {
            let message = format!("{name} must be at most {}, found {raw}", most.text);
            faults.push((IssueCode::TooBig, message));
        }
        if let Some(most) = self
            .most_decimals
            .filter(|most| number.decimal_places() > *most)
        {
            // Word for word a contract: no number is added.
            let message = format!("{name} must have at most {most} decimal places");
            faults.push((IssueCode::Custom, message));
        }
        faults
    }

    fn noun(&self) -> &'static str {
        if self.integer {
            "an integer"
        } else {
            "a number"
        }
    }
}

fn judge_boolean(name: &str, raw: &str) -> Vec<Fault> {
    let found = JsonType::of(raw);
    if found == JsonType::Boolean {
        return Vec::new();
    }
    let hint = match found {
        JsonType::String => "; send true or false without quotes",
        _ => "",
    };
    let message = format!("{name}: expected a boolean, found {}{hint}", found.noun());
    vec![(IssueCode::InvalidType, message)]
}

fn repeated(name: &str) -> Fault {
    let message = format!("{name} was given more than once; give it once");
    (IssueCode::DuplicateKey, message)
}

/// `a`, `a and b`, `a, b and c`.
fn listed<'a>(names: impl Iterator<Item = &'a str>, word: &str) -> String {
    let names: Vec<&str> = names.collect();
    match names.split_last() {
        None => "none".to_owned(),
        Some((last, [])) => (*last).to_owned(),
        Some((last, rest)) => format!("{} {word} {last}", rest.join(", ")),
    }
}

/// What a JSON text is, told by its first byte.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum JsonType {
    Null,
    Boolean,
    Number,
    String,
    Array,
    Object,
}

impl JsonType {
    /// The type of a text that was read as JSON before.
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
