//! Judges arguments by the rules.

use refund_domain::CivilDate;
use serde_json::value::RawValue;

use crate::decimal_text::DecimalText;
use crate::issue::{Issue, IssueCode, path_key, quoted};
use crate::object::Object;
use crate::problem::{JsonType, Problem, TextForm, listed};
use crate::rules::{KeyRule, Kind, NumberRule, Rules, TextRule};

/// Most characters of a number's text. A longer one is not read, whatever its value.
const MOST_NUMBER_CHARACTERS: usize = 64;

/// Most unknown keys that are named one by one, so that an answer stays small.
const MOST_UNKNOWN_NAMED: usize = 32;

/// Longest unknown key that is compared with the legal ones: none is near to a longer one, and long
/// ones are dear to compare.
const MOST_COMPARED_BYTES: usize = 64;

/// What is wrong with one value.
pub(crate) type Fault = (IssueCode, Problem);

impl Rules {
    /// Every problem of the arguments: those of the whole, then key by key in the schema's order, then
    /// the unknown keys in the order sent.
    pub(crate) fn judge(&self, object: &Object<'_>) -> Vec<Issue> {
        let mut issues = Vec::new();
        self.judge_count(object, &mut issues);
        for key in &self.keys {
            let faults = match object.get(&key.name) {
                None if key.required => {
                    vec![(IssueCode::Required, key.missing())]
                }
                None => Vec::new(),
                Some(entry) if entry.repeated => vec![repeated(&key.name)],
                Some(entry) => key.judge(entry.value),
            };
            issues.extend(
                faults
                    .into_iter()
                    .map(|(code, problem)| Issue::of_key(&key.name, code, problem)),
            );
        }
        self.judge_unknown(object, &mut issues);
        issues
    }

    /// The names of all keys.
    fn names(&self) -> Vec<String> {
        self.keys.iter().map(|key| key.name.clone()).collect()
    }

    /// That the arguments are something else than an object; `None` where they are not there.
    pub(crate) fn no_object(&self, found: Option<JsonType>) -> Problem {
        let required = self.keys.iter().filter(|key| key.required);
        let wanted: Vec<_> = required.map(|key| key.name.clone()).collect();
        if !wanted.is_empty() {
            return match found {
                None => Problem::NoArguments { wanted },
                Some(found) => Problem::NoObject { wanted, found },
            };
        }
        let any = listed(&self.names(), "or");
        Problem::Other(match found {
            None => format!("arguments are required: expected an object with {any}"),
            Some(found) => {
                let found = found.noun();
                format!("arguments: expected an object with {any}, found {found}")
            }
        })
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
            let message = format!("give {number} of {}", listed(&self.names(), "and"));
            issues.push(Issue::of_all(IssueCode::Custom, message.into()));
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
                let (code, problem) = repeated(&quoted(&entry.key));
                issues.push(Issue::of_key(&path, code, problem));
            }
        }
        if let Some(count @ 1..) = unknown.len().checked_sub(MOST_UNKNOWN_NAMED) {
            let legal = self.names();
            let problem = Problem::MoreUnknown { count, legal };
            issues.push(Issue::of_all(IssueCode::UnknownKey, problem));
        }
    }

    /// The legal keys, the one that was probably meant first.
    fn unknown(&self, name: &str) -> Problem {
        let nearest = self.nearest(name).map(str::to_owned);
        let mut legal = self.names();
        // A stable sort: the others stay in their order.
        legal.sort_by_key(|key| nearest.as_ref() != Some(key));
        Problem::Unknown {
            key: quoted(name),
            nearest,
            legal,
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
    /// That a required key did not come.
    fn missing(&self) -> Problem {
        let key = self.name.clone();
        match &self.kind {
            Kind::Text(rule) => Problem::Missing {
                key,
                form: rule.form.as_deref().map(TextForm::of),
            },
            Kind::Number(rule) => {
                Problem::Other(format!("{key} is required: expected {}", rule.noun()))
            }
            Kind::Boolean => Problem::Other(format!("{key} is required: expected a boolean")),
        }
    }

    /// Every problem of a value. A wrong type is the only one of its value.
    pub(crate) fn judge(&self, raw: &RawValue) -> Vec<Fault> {
        match &self.kind {
            Kind::Text(rule) => rule.judge(&self.name, raw.get()),
            Kind::Number(rule) => rule.judge(&self.name, raw.get()),
            Kind::Boolean => judge_boolean(&self.name, raw.get()),
        }
    }
}

impl TextRule {
    fn judge(&self, name: &str, raw: &str) -> Vec<Fault> {
        let key = name.to_owned();
        let found = JsonType::of(raw);
        if found != JsonType::String {
            let problem = match &self.no_number {
                Some(why) if found == JsonType::Number => Problem::Other(format!(
                    "{name}: expected a string, found {}; send it in quotes, {why}",
                    found.noun()
                )),
                _ => Problem::NoText { key, found },
            };
            return vec![(IssueCode::InvalidType, problem)];
        }
        // The text was read as JSON before; all that can be wrong now is an escape.
        let Ok(text) = serde_json::from_str::<String>(raw) else {
            return vec![(IssueCode::InvalidType, Problem::HalfPair { key })];
        };

        let trimmed = self.trim;
        let text = if trimmed { text.trim() } else { text.as_str() };
        let found = text.chars().count() as u64;
        let mut faults = Vec::new();
        if let Some(least) = self.least.filter(|least| found < *least) {
            let key = key.clone();
            faults.push((
                IssueCode::TooShort,
                Problem::TooShort {
                    key,
                    least,
                    found,
                    trimmed,
                },
            ));
        }
        if let Some(most) = self.most.filter(|most| found > *most) {
            let key = key.clone();
            faults.push((
                IssueCode::TooLong,
                Problem::TooLong {
                    key,
                    most,
                    found,
                    trimmed,
                },
            ));
        }
        if let Some(pattern) = self
            .pattern
            .as_ref()
            .filter(|pattern| !pattern.is_match(text))
        {
            let form = match &self.form {
                Some(form) => TextForm::of(form),
                None => TextForm::Other(format!("a text that matches {pattern}")),
            };
            let found = quoted(text);
            faults.push((IssueCode::Pattern, Problem::Form { key, form, found }));
        }
        if self.day && faults.is_empty() && CivilDate::parse(text).is_err() {
            let message = format!(
                "{name} must be a day of the calendar; found {}",
                quoted(text)
            );
            faults.push((IssueCode::Custom, message.into()));
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
            return vec![(IssueCode::InvalidType, message.into())];
        }
        if raw.len() > MOST_NUMBER_CHARACTERS {
            let message = format!(
                "{name} must be written with at most {MOST_NUMBER_CHARACTERS} characters, found {}",
                raw.len()
            );
            return vec![(IssueCode::TooLong, message.into())];
        }
        let Some(number) = DecimalText::parse(raw) else {
            let message = format!("{name}: expected {}", self.noun());
            return vec![(IssueCode::InvalidType, message.into())];
        };
        if self.integer && number.decimal_places() > 0 {
            let message = format!("{name}: expected an integer, found the number {raw}");
            return vec![(IssueCode::InvalidType, message.into())];
        }

        let mut faults = Vec::new();
        if let Some(above) = self.above.as_ref().filter(|limit| number <= limit.value) {
            let message = format!("{name} must be greater than {}, found {raw}", above.text);
            faults.push((IssueCode::TooSmall, message.into()));
        }
        if let Some(least) = self.least.as_ref().filter(|limit| number < limit.value) {
            let message = format!("{name} must be at least {}, found {raw}", least.text);
            faults.push((IssueCode::TooSmall, message.into()));
        }
        if let Some(most) = self.most.as_ref().filter(|limit| number > limit.value) {
            let message = format!("{name} must be at most {}, found {raw}", most.text);
            faults.push((IssueCode::TooBig, message.into()));
        }
        if let Some(most) = self
            .most_decimals
            .filter(|most| number.decimal_places() > *most)
        {
            // Word for word a contract: no number is added.
            let message = format!("{name} must have at most {most} decimal places");
            faults.push((IssueCode::Custom, message.into()));
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
    vec![(IssueCode::InvalidType, message.into())]
}

fn repeated(name: &str) -> Fault {
    let key = name.to_owned();
    (IssueCode::DuplicateKey, Problem::Repeated { key })
}
