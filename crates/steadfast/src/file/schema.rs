//! The JSON Schema of a policy file, for editors (F5).
//!
//! It is generated from the same list of fields that the reader uses.

use serde_json::{Map, Value, json};

use super::document::{DEFAULTS, EXTENSION_PREFIX, MAPPINGS, POLICIES, VERSION};
use crate::Class;
use crate::policy::{FIELDS, Field, FieldKind, Jitter};

/// The JSON Schema (draft 2020-12) of a policy file.
///
/// ```
/// let schema = steadfast::file::schema();
/// assert!(schema["$defs"]["policy"]["properties"]["max_attempts"].is_object());
/// ```
#[must_use]
pub fn schema() -> Value {
    let extension_keys = format!("^{EXTENSION_PREFIX}");
    json!({
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "Steadfast policy file",
        "description": "The retry policies of a system.",
        "type": "object",
        "required": [VERSION, POLICIES],
        "additionalProperties": false,
        "patternProperties": { extension_keys: true },
        "properties": {
            VERSION: {
                "description": "The version of the file's format.",
                "type": "string",
                "pattern": r"^1\.[01]\.[0-9]+$",
                "examples": ["1.1.0"],
            },
            DEFAULTS: described(
                nullable(reference("policy")),
                "Defaults for the fields that a policy does not set.",
            ),
            POLICIES: {
                "description": "The policies, by their ids.",
                "type": ["object", "null"],
                "additionalProperties": nullable(reference("policy")),
            },
            MAPPINGS: {
                "description": "The policy for each subsystem, operation and case.",
                "type": ["object", "null"],
                "additionalProperties": {
                    "description": "A subsystem: its operations.",
                    "type": ["object", "null"],
                    "additionalProperties": {
                        "description": "An operation: its cases; `default` applies to all others.",
                        "type": ["object", "null"],
                        "additionalProperties": {
                            "description": "A case: the id of its policy.",
                            "type": "string",
                        },
                    },
                },
            },
        },
        "$defs": {
            "policy": object(FIELDS),
            "timing": object(&timing()),
            "duration": {
                "description": "500ms, 1.5s, 10m, 7d, ISO 8601 such as PT30S, or a number of seconds.",
                "anyOf": [
                    { "type": "number", "minimum": 0 },
                    { "type": "string", "pattern": r"^\s*[0-9.+Pp]" },
                ],
            },
            "rule": {
                "description": "5xx, 503, 08, 40P01, timeout, connection, io:connection_reset, tls, \
                                grpc:UNAVAILABLE, exit:75, a type name, or any.",
                "type": ["string", "integer"],
            },
        },
    })
}

fn timing() -> Vec<Field> {
    FIELDS.iter().filter(|field| field.by_class).copied().collect()
}

fn object(fields: &[Field]) -> Value {
    let properties: Map<String, Value> = fields
        .iter()
        .map(|field| (field.name.to_owned(), described(nullable(kind(field.kind)), field.about)))
        .collect();
    json!({ "type": "object", "properties": properties, "additionalProperties": false })
}

fn kind(kind: FieldKind) -> Value {
    match kind {
        FieldKind::Bool => json!({ "type": "boolean" }),
        FieldKind::Count(least) => {
            json!({ "type": "integer", "minimum": least, "maximum": u32::MAX })
        }
        FieldKind::Number(least, most) if most == f64::MAX => {
            json!({ "type": "number", "minimum": least })
        }
        FieldKind::Number(least, most) => {
            json!({ "type": "number", "minimum": least, "maximum": most })
        }
        FieldKind::Duration => reference("duration"),
        FieldKind::Text => json!({ "type": ["string", "number"] }),
        FieldKind::Name(names) => json!({ "enum": names }),
        FieldKind::Jitter => json!({ "anyOf": [{ "enum": Jitter::NAMES }, reference("duration")] }),
        FieldKind::Rules => one_or_more(reference("rule")),
        FieldKind::Durations => one_or_more(reference("duration")),
        FieldKind::Fields(fields) => object(fields),
        FieldKind::Classes => {
            let classes: Map<String, Value> = Class::ALL
                .iter()
                .map(|class| (class.name().to_owned(), nullable(reference("timing"))))
                .collect();
            json!({ "type": "object", "properties": classes, "additionalProperties": false })
        }
        FieldKind::Stage => reference("policy"),
    }
}

fn one_or_more(item: Value) -> Value {
    json!({ "anyOf": [{ "type": "array", "items": item }, item] })
}

fn reference(name: &str) -> Value {
    json!({ "$ref": format!("#/$defs/{name}") })
}

/// Null removes the value of a lower layer.
fn nullable(schema: Value) -> Value {
    json!({ "anyOf": [schema, { "type": "null" }] })
}

fn described(mut schema: Value, about: &str) -> Value {
    if let Value::Object(schema) = &mut schema {
        schema.insert("description".to_owned(), about.into());
    }
    schema
}
