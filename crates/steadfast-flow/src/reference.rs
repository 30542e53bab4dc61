//! References in a node's `config` to the trigger and to the results of earlier nodes.
//!
//! A reference is resolved when the node starts. It is a JSON Pointer into
//!
//! ```json
//! { "trigger": …, "nodes": { "create": … } }
//! ```
//!
//! `{"$from": "/nodes/create/body/id"}` is replaced by that value, whatever its type; in a string,
//! `${/trigger/user}` is replaced by its text. `$${` is a literal `${`. A pointer continues into a
//! string that is JSON, such as the body of an API's response. There are no expressions: computations
//! belong in a handler.

use std::borrow::Cow;
use std::collections::HashSet;
use std::fmt::Write;
use std::io;

use serde_json::{Map, Value};
use steadfast::__private::nearest;
use steadfast_store::MAX_PAYLOAD;

const FROM: &str = "$from";
const OPEN: &str = "${";

/// The problems of a config's references, each with its path, at most `max` of them. `available` are
/// the nodes that have completed when this one starts.
pub(crate) fn problems(
    config: &Value,
    available: &HashSet<&str>,
    max: usize,
) -> Vec<(String, String)> {
    let mut problems = Vec::new();
    for_each_pointer(config, &mut String::new(), &mut |path, pointer| {
        if problems.len() >= max {
            return;
        }
        if let Err(problem) = pointer.and_then(|pointer| check_pointer(pointer, available)) {
            problems.push((path.to_owned(), problem));
        }
    });
    problems
}

/// The values that a config refers to.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Reads {
    /// Whether it refers to the trigger.
    pub(crate) trigger: bool,
    /// The nodes whose results it refers to.
    pub(crate) nodes: Vec<String>,
}

/// The values that a config refers to, so that only these have to be read.
pub(crate) fn reads(config: &Value) -> Reads {
    let mut reads = Reads::default();
    for_each_pointer(config, &mut String::new(), &mut |_, pointer| {
        let Ok(pointer) = pointer else { return };
        match node_of(pointer) {
            Some(node) if !reads.nodes.contains(&node) => reads.nodes.push(node),
            Some(_) => {}
            None => reads.trigger = true,
        }
    });
    reads
}

/// The node that a pointer refers to, if any.
fn node_of(pointer: &str) -> Option<String> {
    let rest = pointer.strip_prefix("/nodes/")?;
    let step = rest.split('/').next().unwrap_or_default();
    Some(step.replace("~1", "/").replace("~0", "~"))
}

/// Resolves every reference in a config.
///
/// # Errors
/// A value is missing, or the result would exceed the maximum payload. A small config can expand to
/// gigabytes, so its size is checked before it is built.
pub(crate) fn resolve(config: &Value, input: &Value) -> Result<Value, String> {
    ByteBudget::default().resolve(config, input)
}

/// How many bytes of JSON strings are parsed for one node.
const MAX_PARSE_BYTES: usize = 16 * MAX_PAYLOAD;

/// The bytes that may still be written, and the bytes of JSON strings that may still be parsed.
struct ByteBudget {
    write: usize,
    parse: usize,
}

impl Default for ByteBudget {
    fn default() -> Self {
        Self { write: MAX_PAYLOAD, parse: MAX_PARSE_BYTES }
    }
}

impl ByteBudget {
    fn resolve(&mut self, config: &Value, input: &Value) -> Result<Value, String> {
        Ok(match config {
            Value::Object(fields) => match reference(fields) {
                Some(pointer) => self.copy(pointer, input)?,
                None => {
                    let mut resolve = |(name, value): (&String, &Value)| {
                        Ok((name.clone(), self.resolve(value, input)?))
                    };
                    Value::Object(fields.iter().map(&mut resolve).collect::<Result<_, String>>()?)
                }
            },
            Value::Array(items) => {
                let resolve = |item| self.resolve(item, input);
                Value::Array(items.iter().map(resolve).collect::<Result<_, String>>()?)
            }
            Value::String(text) => Value::String(self.interpolate(text, input)?),
            other => other.clone(),
        })
    }

    /// Resolves the references in a string.
    fn interpolate(&mut self, text: &str, input: &Value) -> Result<String, String> {
        let mut out = String::with_capacity(text.len());
        for piece in pieces(text) {
            match piece {
                Piece::Literal(text) => out.push_str(text),
                Piece::Pointer(pointer) => match &*self.find(pointer, input)? {
                    Value::String(text) => {
                        self.take(text.len())?;
                        out.push_str(text);
                    }
                    other => {
                        self.measure(other)?;
                        let _ = write!(out, "{other}");
                    }
                },
                Piece::Unclosed => out.push_str(OPEN),
            }
        }
        Ok(out)
    }

    fn copy(&mut self, pointer: &str, input: &Value) -> Result<Value, String> {
        let value = self.find(pointer, input)?;
        self.measure(&value)?;
        Ok(value.into_owned())
    }

    fn find<'v>(&mut self, pointer: &str, input: &'v Value) -> Result<Cow<'v, Value>, String> {
        if let Some(value) = input.pointer(pointer) {
            return Ok(Cow::Borrowed(value));
        }
        let value = self.find_in_string(pointer, input)?;
        value.map(Cow::Owned).ok_or_else(|| format!("no value at {pointer}"))
    }

    /// The value of a pointer that continues into a JSON string.
    fn find_in_string(&mut self, pointer: &str, input: &Value) -> Result<Option<Value>, String> {
        let text = pointer.match_indices('/').skip(1).find_map(|(end, _)| {
            let (before, rest) = pointer.split_at_checked(end)?;
            Some((input.pointer(before)?.as_str()?, rest))
        });
        let Some((text, rest)) = text else { return Ok(None) };
        self.parse = self.parse.checked_sub(text.len()).ok_or_else(too_much_to_parse)?;
        let value = serde_json::from_str(text).unwrap_or(Value::Null);
        match value.pointer(rest) {
            Some(found) => Ok(Some(found.clone())),
            None => self.find_in_string(rest, &value),
        }
    }

    /// Takes the JSON size of a value from the budget.
    fn measure(&mut self, value: &Value) -> Result<(), String> {
        serde_json::to_writer(self, value).map_err(|_| too_long())
    }

    fn take(&mut self, bytes: usize) -> Result<(), String> {
        self.write = self.write.checked_sub(bytes).ok_or_else(too_long)?;
        Ok(())
    }
}

/// Counts what is written and discards it.
impl io::Write for ByteBudget {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.take(bytes.len()).map_err(io::Error::other)?;
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

fn too_long() -> String {
    format!("its payload would exceed {MAX_PAYLOAD} bytes of JSON")
}

/// The pointer, if this object is a reference.
fn reference(fields: &Map<String, Value>) -> Option<&str> {
    match fields.get(FROM) {
        Some(Value::String(pointer)) if fields.len() == 1 => Some(pointer),
        _ => None,
    }
}

fn too_much_to_parse() -> String {
    format!("it refers into more than {MAX_PARSE_BYTES} bytes of JSON strings")
}

/// A piece of a string with references.
enum Piece<'t> {
    Literal(&'t str),
    Pointer(&'t str),
    /// A `${` without its `}`.
    Unclosed,
}

fn pieces(mut text: &str) -> impl Iterator<Item = Piece<'_>> {
    std::iter::from_fn(move || {
        if text.is_empty() {
            return None;
        }
        if let Some(rest) = text.strip_prefix("$${") {
            let literal = text.get(1..3)?;
            text = rest;
            return Some(Piece::Literal(literal));
        }
        if let Some(rest) = text.strip_prefix(OPEN) {
            let Some((pointer, after)) = rest.split_once('}') else {
                text = rest;
                return Some(Piece::Unclosed);
            };
            text = after;
            return Some(Piece::Pointer(pointer));
        }
        let end = text.get(1..)?.find('$').map_or(text.len(), |at| at + 1);
        let (literal, rest) = text.split_at_checked(end)?;
        text = rest;
        Some(Piece::Literal(literal))
    })
}

/// Visits every pointer, or the problem of an invalid one, with its path.
fn for_each_pointer(
    value: &Value,
    path: &mut String,
    visit: &mut impl FnMut(&str, Result<&str, String>),
) {
    let length = path.len();
    match value {
        Value::Object(fields) => {
            if let Some(pointer) = reference(fields) {
                return visit(path, Ok(pointer));
            }
            if fields.contains_key(FROM) {
                let problem =
                    format!("{FROM} must be the only field, with a string such as \"/trigger\"");
                return visit(path, Err(problem));
            }
            for (name, value) in fields {
                let _ = write!(path, ".{name}");
                for_each_pointer(value, path, visit);
                path.truncate(length);
            }
        }
        Value::Array(items) => {
            for (index, value) in items.iter().enumerate() {
                let _ = write!(path, "[{index}]");
                for_each_pointer(value, path, visit);
                path.truncate(length);
            }
        }
        Value::String(text) => pieces(text).for_each(|piece| match piece {
            Piece::Literal(_) => {}
            Piece::Pointer(pointer) => visit(path, Ok(pointer)),
            Piece::Unclosed => {
                visit(path, Err("a ${ is not closed; use $${ for a literal ${".to_owned()));
            }
        }),
        _ => {}
    }
}

/// Checks that a pointer can have a value when the node starts.
fn check_pointer(pointer: &str, available: &HashSet<&str>) -> Result<(), String> {
    if pointer == "/trigger" || pointer.starts_with("/trigger/") {
        return Ok(());
    }
    if pointer == "/nodes" {
        return Err(format!("{pointer} is not a node; use /nodes/<nodeId>"));
    }
    let Some(name) = node_of(pointer) else {
        return Err(format!("{pointer:?} must begin with /trigger or /nodes/<nodeId>"));
    };
    if available.contains(name.as_str()) {
        return Ok(());
    }
    let hint = match nearest(&name, available.iter().copied()) {
        Some(near) => format!("did you mean {near:?}?"),
        None => "add it to dependsOn".to_owned(),
    };
    Err(format!("node {name:?} is not a dependency of this node; {hint}"))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn input() -> Value {
        json!({ "trigger": { "user": "ada", "age": 36 }, "nodes": { "a/b": { "id": [7] } } })
    }

    /// W1: values come from the trigger and from earlier nodes.
    #[test]
    fn reference_anywhere_in_a_config_is_resolved() {
        let config = json!({
            "whole": { "$from": "/trigger" },
            "deep": [{ "$from": "/nodes/a~1b/id/0" }],
            "text": "/users/${/trigger/user}?age=${/trigger/age}",
            "plain": ["$", "costs $5", "$${/trigger}", 1, null],
        });
        let resolved = resolve(&config, &input()).unwrap();
        assert_eq!(
            resolved,
            json!({
                "whole": { "user": "ada", "age": 36 },
                "deep": [7],
                "text": "/users/ada?age=36",
                "plain": ["$", "costs $5", "${/trigger}", 1, null],
            })
        );
    }

    /// W1, D19: the body of a response is stored as a string; a reference continues into it.
    #[test]
    fn reference_into_a_json_string_is_resolved() {
        let body = json!({ "id": 7, "more": "{\"deep\": [\"er\"]}" }).to_string();
        let input = json!({ "nodes": { "create": { "status": 201, "body": body } } });
        let config = json!({
            "id": { "$from": "/nodes/create/body/id" },
            "deep": "${/nodes/create/body/more/deep/0}",
            "whole": { "$from": "/nodes/create/body" },
        });
        let wanted = json!({ "id": 7, "deep": "er", "whole": body });
        assert_eq!(resolve(&config, &input).unwrap(), wanted);
        for nowhere in ["/nodes/create/body/name", "/nodes/create/status/1"] {
            let config = json!({ "$from": nowhere });
            let error = resolve(&config, &input).unwrap_err();
            assert_eq!(error, format!("no value at {nowhere}"));
        }
    }

    /// K4: no more is read for a node than it refers to.
    #[test]
    fn reads_lists_the_referenced_values() {
        let config = json!(["${/nodes/a~1b/id} ${/nodes/a~1b}", { "$from": "/nodes/c" }]);
        let nodes = vec!["a/b".to_owned(), "c".to_owned()];
        assert_eq!(reads(&config), Reads { trigger: false, nodes });
        assert!(reads(&json!("${/trigger/x}")).trigger);
    }

    /// W1: the error of a missing value names it.
    #[test]
    fn missing_value_is_named() {
        let config = json!({ "id": { "$from": "/trigger/name" } });
        assert_eq!(resolve(&config, &input()).unwrap_err(), "no value at /trigger/name");
    }

    /// K4: a small config that would expand beyond the maximum payload is rejected before it is built.
    #[test]
    fn config_that_exceeds_the_maximum_payload_is_rejected() {
        let long = json!({ "trigger": "x".repeat(10_000), "nodes": {} });
        let often = 2 * MAX_PAYLOAD / 10_000;
        for config in [
            json!("${/trigger}".repeat(often)),
            json!(vec!["${/trigger}"; often]),
            json!(vec![json!({ "$from": "/trigger" }); often]),
        ] {
            let resolved = resolve(&config, &long).map(|value| value.to_string().len());
            let expected = "its payload would exceed 1048576 bytes of JSON";
            assert_eq!(resolved.unwrap_err(), expected);
        }
        assert!(resolve(&json!(["${/trigger}", { "$from": "/trigger" }]), &long).is_ok());
    }

    /// K4: the bytes of JSON strings that are parsed for one node are bounded.
    #[test]
    fn config_that_parses_a_string_too_often_is_rejected() {
        let body = json!({ "id": 7, "rest": "x".repeat(100_000) }).to_string();
        let input = json!({ "trigger": { "body": body }, "nodes": {} });
        let often = |times| resolve(&json!(vec!["${/trigger/body/id}"; times]), &input);
        assert_eq!(often(2).unwrap(), json!(["7", "7"]));
        let error = often(1000).unwrap_err();
        assert_eq!(error, "it refers into more than 16777216 bytes of JSON strings");
    }

    /// W1: a reference that can never be resolved is reported before anything runs.
    #[test]
    fn invalid_reference_is_reported_with_its_path() {
        let config = json!({
            "a": { "$from": "/nodes/creat/id" },
            "b": ["${/nodes}", "${/trigger"],
            "c": { "$from": 1 },
            "d": { "$from": "trigger" },
            "e": "${/trigger/anything}",
        });
        let available = HashSet::from(["create"]);
        let problems: Vec<_> = problems(&config, &available, 9)
            .into_iter()
            .map(|(path, problem)| format!("{path}: {problem}"))
            .collect();
        assert_eq!(
            problems,
            [
                ".a: node \"creat\" is not a dependency of this node; did you mean \"create\"?",
                ".b[0]: /nodes is not a node; use /nodes/<nodeId>",
                ".b[1]: a ${ is not closed; use $${ for a literal ${",
                ".c: $from must be the only field, with a string such as \"/trigger\"",
                ".d: \"trigger\" must begin with /trigger or /nodes/<nodeId>",
            ]
        );
    }
}
