//! The rules of a tool's arguments, compiled once from the schema that is generated from their type.

use regex::Regex;
use schemars::JsonSchema;
use serde_json::{Map, Value};

use crate::decimal_text::DecimalText;
use crate::schema::annotated_schema;

/// The rules of one tool's arguments.
#[derive(Debug)]
pub struct Rules {
    /// In the order in which the schema has them.
    pub(crate) keys: Vec<KeyRule>,
    /// Fewest keys.
    pub(crate) least_keys: Option<u64>,
    /// Most keys.
    pub(crate) most_keys: Option<u64>,
}

/// The rules of one key.
#[derive(Debug)]
pub(crate) struct KeyRule {
    pub(crate) name: String,
    pub(crate) required: bool,
    pub(crate) kind: Kind,
}

/// The rules that depend on the type.
#[derive(Debug)]
pub(crate) enum Kind {
    Text(TextRule),
    Number(NumberRule),
    Boolean,
}

#[derive(Debug)]
pub(crate) struct TextRule {
    /// Whether the rules are about the text without the white space around it.
    pub(crate) trim: bool,
    pub(crate) least: Option<u64>,
    pub(crate) most: Option<u64>,
    pub(crate) pattern: Option<Regex>,
    /// The pattern in words.
    pub(crate) form: Option<String>,
    /// Whether the text must be a day of the calendar, beyond its pattern.
    pub(crate) day: bool,
    /// Why a number is no substitute, as the rest of a sentence.
    pub(crate) no_number: Option<String>,
}

#[derive(Debug)]
pub(crate) struct NumberRule {
    pub(crate) integer: bool,
    pub(crate) above: Option<Limit>,
    pub(crate) least: Option<Limit>,
    pub(crate) most: Option<Limit>,
    pub(crate) most_decimals: Option<u64>,
}

/// A limit and its text.
#[derive(Debug)]
pub(crate) struct Limit {
    pub(crate) value: DecimalText,
    pub(crate) text: String,
}

/// A schema that says something the decoder cannot enforce. A fault of this crate, never of a caller.
#[derive(Debug, thiserror::Error)]
pub(crate) enum RulesError {
    #[error("the arguments are not published as a closed object")]
    NotAClosedObject,
    #[error("{key} has the type {kind}, which the decoder does not know")]
    Type { key: String, kind: String },
    #[error("{place} has the keyword {keyword}, which the decoder does not know")]
    Keyword { place: String, keyword: String },
    #[error("{place} has a {keyword} of the wrong type")]
    Value { place: String, keyword: String },
}

impl Rules {
    /// The rules of a type. For a `static` in [`crate::ToolInput::rules`].
    ///
    /// # Panics
    /// If the schema of the type says what the decoder cannot enforce. Every type of this crate is
    /// compiled by a test; a panic means that the server refuses to guess what may pass.
    #[must_use]
    #[expect(
        clippy::panic,
        reason = "there is nothing to fall back to: arguments must not pass unjudged"
    )]
    pub fn of<T: JsonSchema>() -> Self {
        match Self::compile(annotated_schema::<T>()) {
            Ok(rules) => rules,
            Err(error) => panic!("the schema of {}: {error}", T::schema_name()),
        }
    }

    fn compile(schema: Map<String, Value>) -> Result<Self, RulesError> {
        let mut schema = Keywords::new("the arguments", schema);
        let closed = schema.take("additionalProperties") == Some(Value::Bool(false));
        let (Some("object"), true) = (schema.word("type")?.as_deref(), closed) else {
            return Err(RulesError::NotAClosedObject);
        };
        let Some(Value::Object(properties)) = schema.take("properties") else {
            return Err(RulesError::NotAClosedObject);
        };
        let required = match schema.take("required") {
            Some(Value::Array(names)) => names,
            None => Vec::new(),
            Some(_) => return Err(schema.wrong("required")),
        };
        let least_keys = schema.count("minProperties")?;
        let most_keys = schema.count("maxProperties")?;
        schema.finish()?;

        let keys = properties
            .into_iter()
            .map(|(name, schema)| {
                let required = required.iter().any(|known| known == name.as_str());
                KeyRule::compile(&name, required, schema)
            })
            .collect::<Result<_, _>>()?;
        Ok(Self {
            keys,
            least_keys,
            most_keys,
        })
    }
}

impl KeyRule {
    /// The rules of one value that does not stand among a tool's arguments.
    pub(crate) fn of<T: JsonSchema>(name: &str) -> Result<Self, RulesError> {
        Self::compile(name, true, Value::Object(annotated_schema::<T>()))
    }

    fn compile(name: &str, required: bool, schema: Value) -> Result<Self, RulesError> {
        let Value::Object(schema) = schema else {
            return Err(RulesError::Type {
                key: name.to_owned(),
                kind: schema.to_string(),
            });
        };
        let mut schema = Keywords::new(name, schema);
        schema.take("default");
        let kind = match schema.word("type")?.as_deref() {
            Some("string") => Kind::Text(TextRule {
                trim: schema.take("x-trim") == Some(Value::Bool(true)),
                least: schema.count("minLength")?,
                most: schema.count("maxLength")?,
                pattern: schema.pattern("pattern")?,
                form: schema.word("x-form")?,
                day: schema.take("x-day") == Some(Value::Bool(true)),
                no_number: schema.word("x-no-number")?,
            }),
            Some(kind @ ("number" | "integer")) => Kind::Number(NumberRule {
                integer: kind == "integer",
                above: schema.limit("exclusiveMinimum")?,
                least: schema.limit("minimum")?,
                most: schema.limit("maximum")?,
                most_decimals: schema.count("x-max-decimals")?,
            }),
            Some("boolean") => Kind::Boolean,
            other => {
                return Err(RulesError::Type {
                    key: name.to_owned(),
                    kind: format!("{other:?}"),
                });
            }
        };
        schema.finish()?;
        Ok(Self {
            name: name.to_owned(),
            required,
            kind,
        })
    }
}

/// The keywords of a schema that nobody has understood yet.
struct Keywords {
    place: String,
    left: Map<String, Value>,
}

impl Keywords {
    fn new(place: &str, mut left: Map<String, Value>) -> Self {
        left.remove("description");
        Self {
            place: place.to_owned(),
            left,
        }
    }

    fn take(&mut self, keyword: &str) -> Option<Value> {
        self.left.remove(keyword)
    }

    fn read<T>(
        &mut self,
        keyword: &str,
        read: impl FnOnce(&Value) -> Option<T>,
    ) -> Result<Option<T>, RulesError> {
        match self.take(keyword) {
            None => Ok(None),
            Some(value) => read(&value).map(Some).ok_or_else(|| self.wrong(keyword)),
        }
    }

    fn word(&mut self, keyword: &str) -> Result<Option<String>, RulesError> {
        self.read(keyword, |value| value.as_str().map(str::to_owned))
    }

    fn count(&mut self, keyword: &str) -> Result<Option<u64>, RulesError> {
        self.read(keyword, Value::as_u64)
    }

    fn pattern(&mut self, keyword: &str) -> Result<Option<Regex>, RulesError> {
        self.read(keyword, |value| Regex::new(value.as_str()?).ok())
    }

    fn limit(&mut self, keyword: &str) -> Result<Option<Limit>, RulesError> {
        self.read(keyword, |value| {
            let text = value.to_string();
            let value = DecimalText::parse(&text)?;
            Some(Limit { value, text })
        })
    }

    fn wrong(&self, keyword: &str) -> RulesError {
        RulesError::Value {
            place: self.place.clone(),
            keyword: keyword.to_owned(),
        }
    }

    /// A keyword that is left would be published but not enforced.
    fn finish(self) -> Result<(), RulesError> {
        match self.left.keys().next() {
            None => Ok(()),
            Some(keyword) => Err(RulesError::Keyword {
                keyword: keyword.clone(),
                place: self.place,
            }),
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn compile(schema: Value) -> Result<Rules, RulesError> {
        Rules::compile(schema.as_object().unwrap().clone())
    }

    #[test]
    fn what_cannot_be_enforced_does_not_compile() {
        for (properties, fault) in [
            (
                json!({"a": {"type": "string", "format": "email"}}),
                "format",
            ),
            (json!({"a": {"type": "array"}}), "array"),
            (
                json!({"a": {"type": "boolean", "minLength": 3}}),
                "minLength",
            ),
            (json!({"a": {"type": "boolean", "enum": [true]}}), "enum"),
            (json!({"a": {"type": ["string", "null"]}}), "type"),
            (json!({"a": true}), "true"),
            (
                json!({"a": {"type": "string", "minLength": "3"}}),
                "minLength",
            ),
            (json!({"a": {"type": "string", "pattern": "("}}), "pattern"),
        ] {
            let schema =
                json!({"type": "object", "properties": properties, "additionalProperties": false});
            let error = compile(schema).unwrap_err().to_string();
            assert!(error.contains(fault), "{error}");
        }
        for schema in [
            json!({"type": "object", "properties": {}}),
            json!({"type": "object", "additionalProperties": false}),
            json!({"type": "array", "properties": {}, "additionalProperties": false}),
        ] {
            assert!(matches!(compile(schema), Err(RulesError::NotAClosedObject)));
        }
    }
}
