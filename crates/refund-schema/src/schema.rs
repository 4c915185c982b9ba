//! JSON Schemas from the types, in the subset of JSON Schema that every client takes.

use schemars::generate::{Contract, SchemaSettings};
use schemars::{JsonSchema, Schema};
use serde_json::{Map, Value};

/// The `inputSchema` of a tool.
#[must_use]
pub fn input_schema<T: JsonSchema>() -> Map<String, Value> {
    let mut schema = annotated_schema::<T>();
    each_subschema(&mut schema, &|schema| {
        schema.retain(|keyword, _| !keyword.starts_with("x-"));
    });
    schema
}

/// The `outputSchema` of a tool.
#[must_use]
pub fn output_schema<T: JsonSchema>() -> Map<String, Value> {
    generate::<T>(Contract::Serialize)
}

/// The schema of arguments together with the `x-` keywords that the decoder reads.
pub(crate) fn annotated_schema<T: JsonSchema>() -> Map<String, Value> {
    generate::<T>(Contract::Deserialize)
}

fn generate<T: JsonSchema>(contract: Contract) -> Map<String, Value> {
    let settings = SchemaSettings::draft2020_12().with(|settings| {
        settings.meta_schema = None;
        settings.inline_subschemas = true;
        settings.contract = contract;
    });
    let root = settings.into_generator().into_root_schema_for::<T>();
    let Value::Object(mut schema) = Value::from(root) else {
        return Map::new();
    };
    // The tool has a description of its own; that of the type is for programmers.
    schema.remove("description");
    each_subschema(&mut schema, &tidy);
    schema
}

/// Takes out what some clients refuse (`format: uint32` and its like), and what says nothing to a
/// model (the names of types).
fn tidy(schema: &mut Map<String, Value>) {
    schema.remove("$schema");
    schema.remove("title");
    schema.remove("format");
    // The default of an optional boolean; null is no value that may be sent.
    if schema.get("default") == Some(&Value::Null) {
        schema.remove("default");
    }
    if let Some(Value::String(description)) = schema.get_mut("description") {
        *description = description.replace('\n', " ");
    }
    let mut rest = std::mem::take(schema);
    for keyword in ORDER {
        if let Some(value) = rest.shift_remove(keyword) {
            schema.insert(keyword.to_owned(), value);
        }
    }
    schema.append(&mut rest);
}

/// The keywords in the order in which people read them. Others follow.
const ORDER: [&str; 16] = [
    "type",
    "description",
    "enum",
    "pattern",
    "minLength",
    "maxLength",
    "exclusiveMinimum",
    "minimum",
    "maximum",
    "default",
    "items",
    "properties",
    "required",
    "minProperties",
    "maxProperties",
    "additionalProperties",
];

/// Visits a schema and those inside it, and no property that happens to have a keyword's name.
fn each_subschema(schema: &mut Map<String, Value>, visit: &impl Fn(&mut Map<String, Value>)) {
    visit(schema);
    if let Some(Value::Object(properties)) = schema.get_mut("properties") {
        for property in properties.values_mut() {
            if let Value::Object(property) = property {
                each_subschema(property, visit);
            }
        }
    }
    if let Some(Value::Object(items)) = schema.get_mut("items") {
        each_subschema(items, visit);
    }
}

/// For an enum each of whose variants is one key: publishes it as an object that has exactly one of
/// these keys, because clients refuse a `oneOf` at the top.
pub(crate) fn exactly_one_key(schema: &mut Schema) {
    let Some(Value::Array(variants)) = schema.remove("oneOf") else {
        return;
    };
    let mut properties = Map::new();
    for variant in variants {
        let Value::Object(mut variant) = variant else {
            continue;
        };
        let description = variant.remove("description");
        if let Some(Value::Object(keys)) = variant.remove("properties") {
            for (key, mut property) in keys {
                if let (Value::Object(property), Some(description)) = (&mut property, &description)
                {
                    property.insert("description".to_owned(), description.clone());
                }
                properties.insert(key, property);
            }
        }
    }
    schema.insert("type".to_owned(), "object".into());
    schema.insert("properties".to_owned(), properties.into());
    schema.insert("additionalProperties".to_owned(), false.into());
    schema.insert("minProperties".to_owned(), 1.into());
    schema.insert("maxProperties".to_owned(), 1.into());
}

/// A schema for one of these words.
pub(crate) fn words<'a>(words: impl IntoIterator<Item = &'a str>) -> Schema {
    let words: Vec<&str> = words.into_iter().collect();
    schemars::json_schema!({ "type": "string", "enum": words })
}
