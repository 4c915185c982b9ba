//! `docs/tools.md`, from the catalogue and the schemas that clients get.

use std::fmt::Write as _;

use clap::ValueEnum as _;
use serde_json::{Map, Value};

use super::{GENERATED, code, table};
use crate::catalogue::{ALL, Access, ToolSpec, Toolset};

const INTRODUCTION: &str = "What a client sees of each tool. `refund-mcp tools --json` prints the same as schemas, and `refund-mcp call TOOL JSON` runs one.

No argument is coerced, and a key that a tool does not have is refused. Amounts are read from their digits.

## When a call is not carried out

| | answer | did anything happen? |
| --- | --- | --- |
| the call itself is wrong | JSON-RPC error -32602; `error.data.issues` lists every problem as `{path, code, message}` | no, it never reached the tool |
| the rules say no | a result with `isError: true`: the reason as text, the code in `_meta[\"refund-mcp/code\"]` | no money moved |
| the store does not answer, or is full | such a result with the code `STORE_UNAVAILABLE` or `STORE_FULL` | the text says: nothing moved, or the outcome is unknown and the same call with the same key will tell |
| a fault of the server | JSON-RPC error -32603 `Internal error`; the cause is in its log | no |

The toolset `returns` answers all of these with a result that has `isError: true` and the text `{\"error\": {code, category, message, details}}`: bad arguments as `INVALID_INPUT` with `details.issues`, refusals with their code, and whatever else went wrong as `INTERNAL_ERROR`, where `details.outcome` is `unchanged` or `unknown`. The category is `NOT_FOUND` for `USER_NOT_FOUND` and `ORDER_NOT_FOUND`, `VALIDATION` for `INVALID_INPUT`, `BUSINESS_RULE` for `RETURN_NOT_ELIGIBLE`, `STATE_CONFLICT` for `SESSION_CLOSED` and `IDEMPOTENCY_CONFLICT`, and `INTERNAL` for `INTERNAL_ERROR`; after an `IDEMPOTENCY_CONFLICT` the same arguments as the first time, or a new key, will do. Messages, those of issues too, are in the language of the request. Only faults of the envelope, such as a tool that does not exist, are protocol errors there.

**A departure from MCP's advice.** The specification of MCP advises servers to answer bad arguments with a result that has `isError`, so that a model can read what is wrong and try again. In the toolsets `refunds` and `warranty` they are protocol errors. Refunds move money: whoever reads a log or sits in a gateway must be able to tell a call that was rejected from one that ran and failed, and a call with bad arguments must never look as if it had run. A client that shows its model results but hides protocol errors needs the advised form; start the server with `--argument-errors tool` (or `REFUND_ARGUMENT_ERRORS=tool`), and the same issues come as the text of a result with the code `INVALID_ARGUMENTS`. `--argument-errors protocol` makes them protocol errors in the toolset `returns` too. What is accepted does not change.
";

pub(super) fn page() -> String {
    let mut text = format!("# The tools\n\n{GENERATED}\n\n{INTRODUCTION}");
    for toolset in Toolset::value_variants() {
        let tools: Vec<_> = ALL.iter().filter(|spec| spec.toolset == *toolset).collect();
        let _ = write!(text, "\n## Toolset `{}`\n\n", toolset.as_str());
        let rows: Vec<_> = tools
            .iter()
            .map(|spec| {
                [
                    format!("[`{0}`](#{0})", spec.name),
                    spec.title.to_owned(),
                    access(spec).to_owned(),
                ]
            })
            .collect();
        text.push_str(&table(["tool", "title", "access"], &rows));
        for spec in tools {
            text.push_str(&section(spec));
        }
    }
    text
}

fn access(spec: &ToolSpec) -> &'static str {
    match spec.access {
        Access::Read => "reads",
        Access::Add => "adds",
        Access::Write => "writes",
    }
}

fn section(spec: &ToolSpec) -> String {
    let mut text = format!(
        "\n### `{}`\n\n**{}** ({}).\n\n{}\n\n",
        spec.name,
        spec.title,
        access(spec),
        spec.description
    );
    let input = (spec.input_schema)();
    if let Some(keys) = number_of_keys(&input) {
        let _ = write!(text, "Takes {keys} of these arguments.\n\n");
    }
    let mut rows = Vec::new();
    fields("", &input, &mut rows);
    let rows: Vec<_> = rows
        .into_iter()
        .map(|(name, required, schema)| {
            let default = schema.get("default").map(Value::to_string);
            [
                code(&name),
                kind(&schema),
                limits(&schema),
                if required { "yes" } else { "" }.to_owned(),
                code(&default.unwrap_or_default()),
                description(&schema),
            ]
        })
        .collect();
    text.push_str(&table(
        [
            "argument", "type", "limits", "required", "default", "meaning",
        ],
        &rows,
    ));

    let mut rows = Vec::new();
    fields("", &(spec.output_schema)(), &mut rows);
    let rows: Vec<_> = rows
        .into_iter()
        .map(|(name, always, schema)| {
            [
                code(&name),
                kind(&schema),
                if always { "yes" } else { "" }.to_owned(),
                [description(&schema), words(&schema)]
                    .into_iter()
                    .filter(|part| !part.is_empty())
                    .collect::<Vec<_>>()
                    .join(" "),
            ]
        })
        .collect();
    text.push('\n');
    text.push_str(&table(["result", "type", "always", "meaning"], &rows));

    let rows: Vec<_> = spec
        .refusals
        .iter()
        .map(|(refusal, when)| [code(refusal), (*when).to_owned()])
        .collect();
    if !rows.is_empty() {
        text.push('\n');
        text.push_str(&table(["refusal", "when"], &rows));
    }
    text
}

/// A field: its path, whether it must be there, its schema.
type Field = (String, bool, Map<String, Value>);

/// The fields of an object, those inside it after it.
fn fields(above: &str, schema: &Map<String, Value>, found: &mut Vec<Field>) {
    let required = schema.get("required").and_then(Value::as_array);
    let properties = schema.get("properties").and_then(Value::as_object);
    for (name, field) in properties.into_iter().flatten() {
        let Some(field) = field.as_object() else {
            continue;
        };
        let must = required.is_some_and(|names| names.iter().any(|known| known == name.as_str()));
        let path = format!("{above}{name}");
        found.push((path.clone(), must, field.clone()));
        fields(&format!("{path}."), field, found);
        if let Some(items) = field.get("items").and_then(Value::as_object) {
            fields(&format!("{path}[]."), items, found);
        }
    }
}

fn kind(schema: &Map<String, Value>) -> String {
    let of = |schema: &Map<String, Value>| {
        let kind = schema.get("type").and_then(Value::as_str);
        kind.unwrap_or_default().to_owned()
    };
    match schema.get("items").and_then(Value::as_object) {
        Some(items) => format!("{} of {}", of(schema), of(items)),
        None => of(schema),
    }
}

fn description(schema: &Map<String, Value>) -> String {
    let text = schema.get("description").and_then(Value::as_str);
    text.unwrap_or_default().to_owned()
}

fn words(schema: &Map<String, Value>) -> String {
    let words = schema.get("enum").and_then(Value::as_array);
    words.map_or_else(String::new, |words| {
        let words: Vec<String> = words
            .iter()
            .map(|word| code(word.as_str().unwrap_or_default()))
            .collect();
        format!("One of {}.", words.join(", "))
    })
}

/// What the schema limits, in words.
fn limits(schema: &Map<String, Value>) -> String {
    let number = |keyword: &str| schema.get(keyword).map(Value::to_string);
    let mut parts = Vec::new();
    if let Some(pattern) = schema.get("pattern").and_then(Value::as_str) {
        parts.push(format!("matches {}", code(pattern)));
    }
    for (least, most, unit) in [
        ("minLength", "maxLength", " characters"),
        ("minItems", "maxItems", " elements"),
        ("minimum", "maximum", ""),
    ] {
        let above = (least == "minimum")
            .then(|| number("exclusiveMinimum"))
            .flatten();
        parts.extend(match (number(least), above, number(most)) {
            (Some(least), _, Some(most)) => Some(format!("{least} to {most}{unit}")),
            (Some(least), _, None) => Some(format!("at least {least}{unit}")),
            (None, Some(above), Some(most)) => Some(format!("above {above}, at most {most}")),
            (None, Some(above), None) => Some(format!("above {above}")),
            (None, None, Some(most)) => Some(format!("at most {most}{unit}")),
            (None, None, None) => None,
        });
    }
    let words = words(schema);
    if !words.is_empty() {
        parts.push(words.trim_end_matches('.').replace("One of", "one of"));
    }
    parts.join("; ")
}

/// How many keys an object takes, where the schema says so.
fn number_of_keys(schema: &Map<String, Value>) -> Option<String> {
    let number = |keyword: &str| schema.get(keyword).and_then(Value::as_u64);
    match (number("minProperties"), number("maxProperties")) {
        (Some(1), Some(1)) => Some("exactly one".to_owned()),
        (Some(least), Some(most)) => Some(format!("{least} to {most}")),
        (Some(least), None) => Some(format!("at least {least}")),
        (None, Some(most)) => Some(format!("at most {most}")),
        (None, None) => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_tool_and_every_field_of_it_is_there() {
        let text = page();
        for spec in ALL {
            assert!(text.contains(&format!("\n### `{}`\n", spec.name)));
            for schema in [(spec.input_schema)(), (spec.output_schema)()] {
                let mut found = Vec::new();
                fields("", &schema, &mut found);
                for (name, ..) in found {
                    assert!(text.contains(&format!("| `{name}` |")), "{name}");
                }
            }
        }
    }

    #[test]
    fn limits_are_said_in_words() {
        let schema = |value: Value| value.as_object().cloned().unwrap_or_default();
        for (value, words) in [
            (
                serde_json::json!({"exclusiveMinimum": 0, "maximum": 100}),
                "above 0, at most 100",
            ),
            (
                serde_json::json!({"minLength": 10, "maxLength": 500}),
                "10 to 500 characters",
            ),
            (
                serde_json::json!({"pattern": "^a$", "maxLength": 2}),
                "matches `^a$`; at most 2 characters",
            ),
            (serde_json::json!({"enum": ["a", "b"]}), "one of `a`, `b`"),
            (serde_json::json!({"type": "string"}), ""),
        ] {
            assert_eq!(limits(&schema(value)), words);
        }
    }
}
