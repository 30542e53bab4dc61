//! What one node answered, in what another is asked.
//!
//! A node's `config` may stand for values that are known only when it begins: what the execution
//! was started with, and what nodes before it answered. They are named by a JSON Pointer into
//!
//! ```json
//! { "trigger": …, "nodes": { "create": … } }
//! ```
//!
//! `{"$from": "/nodes/create/body/id"}` stands for that value, whatever it is; in a text,
//! `${/trigger/user}` stands for its words. `$${` is a `${` that means itself. A pointer goes on
//! into a text that is JSON, as the body is that an API answered with. There is no more to it:
//! whoever wants to compute writes a handler.

use std::borrow::Cow;
use std::collections::HashSet;
use std::fmt::Write;
use std::io;

use serde_json::{Map, Value};
use steadfast::nearest;
use steadfast_store::MAX_PAYLOAD;

const FROM: &str = "$from";
const OPEN: &str = "${";

/// What is wrong with the references of a config, each with its path in it, but no more than
/// `most`. `known` are the nodes that have completed when this one begins.
pub(crate) fn problems(
    config: &Value,
    known: &HashSet<&str>,
    most: usize,
) -> Vec<(String, String)> {
    let mut problems = Vec::new();
    each(config, &mut String::new(), &mut |path, pointer| {
        if problems.len() >= most {
            return;
        }
        if let Err(problem) = pointer.and_then(|pointer| possible(pointer, known)) {
            problems.push((path.to_owned(), problem));
        }
    });
    problems
}

/// What a config refers to.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Reads {
    /// Whether it refers to what the execution was started with.
    pub(crate) trigger: bool,
    /// The nodes whose answers it refers to.
    pub(crate) nodes: Vec<String>,
}

/// What a config refers to, so that no more than that has to be read.
pub(crate) fn reads(config: &Value) -> Reads {
    let mut reads = Reads::default();
    each(config, &mut String::new(), &mut |_, pointer| {
        let Ok(pointer) = pointer else { return };
        match node_of(pointer) {
            Some(node) if !reads.nodes.contains(&node) => reads.nodes.push(node),
            Some(_) => {}
            None => reads.trigger = true,
        }
    });
    reads
}

/// The node that a pointer leads to, if it leads to one.
fn node_of(pointer: &str) -> Option<String> {
    let rest = pointer.strip_prefix("/nodes/")?;
    let step = rest.split('/').next().unwrap_or_default();
    Some(step.replace("~1", "/").replace("~0", "~"))
}

/// The config with every reference followed.
///
/// # Errors
/// What is not there, or that it would be more than a payload may be. A small config can stand for
/// gigabytes, so this is told before they are written out.
pub(crate) fn followed(config: &Value, input: &Value) -> Result<Value, String> {
    Room::default().followed(config, input)
}

/// How many bytes of texts that are JSON are read for one node.
const MAX_READING: usize = 16 * MAX_PAYLOAD;

/// How many bytes may still be written, and how many of texts read.
struct Room {
    writing: usize,
    reading: usize,
}

impl Default for Room {
    fn default() -> Self {
        Self { writing: MAX_PAYLOAD, reading: MAX_READING }
    }
}

impl Room {
    fn followed(&mut self, config: &Value, input: &Value) -> Result<Value, String> {
        Ok(match config {
            Value::Object(fields) => match from(fields) {
                Some(pointer) => self.copied(pointer, input)?,
                None => {
                    let mut follow = |(name, value): (&String, &Value)| {
                        Ok((name.clone(), self.followed(value, input)?))
                    };
                    Value::Object(fields.iter().map(&mut follow).collect::<Result<_, String>>()?)
                }
            },
            Value::Array(items) => {
                let follow = |item| self.followed(item, input);
                Value::Array(items.iter().map(follow).collect::<Result<_, String>>()?)
            }
            Value::String(text) => Value::String(self.filled(text, input)?),
            other => other.clone(),
        })
    }

    /// A text with its references followed.
    fn filled(&mut self, text: &str, input: &Value) -> Result<String, String> {
        let mut out = String::with_capacity(text.len());
        for piece in pieces(text) {
            match piece {
                Piece::Words(words) => out.push_str(words),
                Piece::Pointer(pointer) => match &*self.found(pointer, input)? {
                    Value::String(words) => {
                        self.take(words.len())?;
                        out.push_str(words);
                    }
                    other => {
                        self.measure(other)?;
                        let _ = write!(out, "{other}");
                    }
                },
                Piece::Open => out.push_str(OPEN),
            }
        }
        Ok(out)
    }

    fn copied(&mut self, pointer: &str, input: &Value) -> Result<Value, String> {
        let value = self.found(pointer, input)?;
        self.measure(&value)?;
        Ok(value.into_owned())
    }

    fn found<'v>(&mut self, pointer: &str, input: &'v Value) -> Result<Cow<'v, Value>, String> {
        if let Some(here) = input.pointer(pointer) {
            return Ok(Cow::Borrowed(here));
        }
        let within = self.within_text(pointer, input)?;
        within.map(Cow::Owned).ok_or_else(|| format!("there is nothing at {pointer}"))
    }

    /// What a pointer leads to that goes on into a text that is JSON.
    fn within_text(&mut self, pointer: &str, input: &Value) -> Result<Option<Value>, String> {
        let text = pointer.match_indices('/').skip(1).find_map(|(end, _)| {
            let (before, rest) = pointer.split_at_checked(end)?;
            Some((input.pointer(before)?.as_str()?, rest))
        });
        let Some((text, rest)) = text else { return Ok(None) };
        self.reading = self.reading.checked_sub(text.len()).ok_or_else(too_much)?;
        let value = serde_json::from_str(text).unwrap_or(Value::Null);
        match value.pointer(rest) {
            Some(found) => Ok(Some(found.clone())),
            None => self.within_text(rest, &value),
        }
    }

    /// Takes the room of a value, as JSON.
    fn measure(&mut self, value: &Value) -> Result<(), String> {
        serde_json::to_writer(self, value).map_err(|_| too_long())
    }

    fn take(&mut self, bytes: usize) -> Result<(), String> {
        self.writing = self.writing.checked_sub(bytes).ok_or_else(too_long)?;
        Ok(())
    }
}

/// Room is taken by what is written, which goes nowhere.
impl io::Write for Room {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.take(bytes.len()).map_err(io::Error::other)?;
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

fn too_long() -> String {
    format!("it would be more than {MAX_PAYLOAD} bytes of JSON")
}

/// The pointer, if this object is a reference.
fn from(fields: &Map<String, Value>) -> Option<&str> {
    match fields.get(FROM) {
        Some(Value::String(pointer)) if fields.len() == 1 => Some(pointer),
        _ => None,
    }
}

fn too_much() -> String {
    format!("it refers into texts of more than {MAX_READING} bytes in all")
}

/// A text is words and pointers in turn.
enum Piece<'t> {
    Words(&'t str),
    Pointer(&'t str),
    /// A `${` that is never closed.
    Open,
}

fn pieces(mut text: &str) -> impl Iterator<Item = Piece<'_>> {
    std::iter::from_fn(move || {
        if text.is_empty() {
            return None;
        }
        if let Some(rest) = text.strip_prefix("$${") {
            let words = text.get(1..3)?;
            text = rest;
            return Some(Piece::Words(words));
        }
        if let Some(rest) = text.strip_prefix(OPEN) {
            let Some((pointer, after)) = rest.split_once('}') else {
                text = rest;
                return Some(Piece::Open);
            };
            text = after;
            return Some(Piece::Pointer(pointer));
        }
        let end = text.get(1..)?.find('$').map_or(text.len(), |at| at + 1);
        let (words, rest) = text.split_at_checked(end)?;
        text = rest;
        Some(Piece::Words(words))
    })
}

/// Tells of every pointer, or of what is none, with its path.
fn each(value: &Value, path: &mut String, tell: &mut impl FnMut(&str, Result<&str, String>)) {
    let length = path.len();
    match value {
        Value::Object(fields) => {
            if let Some(pointer) = from(fields) {
                return tell(path, Ok(pointer));
            }
            if fields.contains_key(FROM) {
                let problem = format!("{FROM} stands alone and is a text such as \"/trigger\"");
                return tell(path, Err(problem));
            }
            for (name, value) in fields {
                let _ = write!(path, ".{name}");
                each(value, path, tell);
                path.truncate(length);
            }
        }
        Value::Array(items) => {
            for (at, value) in items.iter().enumerate() {
                let _ = write!(path, "[{at}]");
                each(value, path, tell);
                path.truncate(length);
            }
        }
        Value::String(text) => pieces(text).for_each(|piece| match piece {
            Piece::Words(_) => {}
            Piece::Pointer(pointer) => tell(path, Ok(pointer)),
            Piece::Open => tell(path, Err("a ${ is not closed; write $${ for itself".to_owned())),
        }),
        _ => {}
    }
}

/// Whether there can be something at this place when the node begins.
fn possible(pointer: &str, known: &HashSet<&str>) -> Result<(), String> {
    if pointer == "/trigger" || pointer.starts_with("/trigger/") {
        return Ok(());
    }
    if pointer == "/nodes" {
        return Err(format!("{pointer} names no node; write /nodes/<nodeId>"));
    }
    let Some(name) = node_of(pointer) else {
        return Err(format!("{pointer:?} must begin with /trigger or /nodes/<nodeId>"));
    };
    if known.contains(name.as_str()) {
        return Ok(());
    }
    let next = match nearest(&name, known.iter().copied()) {
        Some(near) => format!("did you mean {near:?}?"),
        None => "add it to dependsOn".to_owned(),
    };
    Err(format!("the node {name:?} is none that is waited for; {next}"))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn input() -> Value {
        json!({ "trigger": { "user": "ada", "age": 36 }, "nodes": { "a/b": { "id": [7] } } })
    }

    /// W1: values come from the trigger and from nodes before.
    #[test]
    fn references_are_followed_wherever_they_stand() {
        let config = json!({
            "whole": { "$from": "/trigger" },
            "deep": [{ "$from": "/nodes/a~1b/id/0" }],
            "text": "/users/${/trigger/user}?age=${/trigger/age}",
            "plain": ["$", "costs $5", "$${/trigger}", 1, null],
        });
        let followed = followed(&config, &input()).unwrap();
        assert_eq!(
            followed,
            json!({
                "whole": { "user": "ada", "age": 36 },
                "deep": [7],
                "text": "/users/ada?age=36",
                "plain": ["$", "costs $5", "${/trigger}", 1, null],
            })
        );
    }

    /// W1, D19: what an API answers is kept as the text that it was; a reference goes on into it.
    #[test]
    fn a_reference_goes_on_into_a_text_that_is_json() {
        let body = json!({ "id": 7, "more": "{\"deep\": [\"er\"]}" }).to_string();
        let input = json!({ "nodes": { "create": { "status": 201, "body": body } } });
        let config = json!({
            "id": { "$from": "/nodes/create/body/id" },
            "deep": "${/nodes/create/body/more/deep/0}",
            "whole": { "$from": "/nodes/create/body" },
        });
        let wanted = json!({ "id": 7, "deep": "er", "whole": body });
        assert_eq!(followed(&config, &input).unwrap(), wanted);
        for nowhere in ["/nodes/create/body/name", "/nodes/create/status/1"] {
            let config = json!({ "$from": nowhere });
            let told = followed(&config, &input).unwrap_err();
            assert_eq!(told, format!("there is nothing at {nowhere}"));
        }
    }

    /// K4: no more is read for a node than it refers to.
    #[test]
    fn what_is_referred_to_is_known_before() {
        let config = json!(["${/nodes/a~1b/id} ${/nodes/a~1b}", { "$from": "/nodes/c" }]);
        let nodes = vec!["a/b".to_owned(), "c".to_owned()];
        assert_eq!(reads(&config), Reads { trigger: false, nodes });
        assert!(reads(&json!("${/trigger/x}")).trigger);
    }

    /// W1: a node that cannot be asked says what it lacks.
    #[test]
    fn what_is_not_there_is_named() {
        let config = json!({ "id": { "$from": "/trigger/name" } });
        assert_eq!(followed(&config, &input()).unwrap_err(), "there is nothing at /trigger/name");
    }

    /// K4: a small config that stands for a great deal is refused before it is written out.
    #[test]
    fn what_would_be_longer_than_a_payload_is_refused() {
        let long = json!({ "trigger": "x".repeat(10_000), "nodes": {} });
        let often = 2 * MAX_PAYLOAD / 10_000;
        for config in [
            json!("${/trigger}".repeat(often)),
            json!(vec!["${/trigger}"; often]),
            json!(vec![json!({ "$from": "/trigger" }); often]),
        ] {
            let told = followed(&config, &long).map(|value| value.to_string().len());
            assert_eq!(told.unwrap_err(), "it would be more than 1048576 bytes of JSON");
        }
        assert!(followed(&json!(["${/trigger}", { "$from": "/trigger" }]), &long).is_ok());
    }

    /// K4: a text that is referred into a great many times is not read as often.
    #[test]
    fn reading_a_text_again_and_again_is_refused() {
        let body = json!({ "id": 7, "rest": "x".repeat(100_000) }).to_string();
        let input = json!({ "trigger": { "body": body }, "nodes": {} });
        let often = |times| followed(&json!(vec!["${/trigger/body/id}"; times]), &input);
        assert_eq!(often(2).unwrap(), json!(["7", "7"]));
        let told = often(1000).unwrap_err();
        assert_eq!(told, "it refers into texts of more than 16777216 bytes in all");
    }

    /// W1: a reference that can never be followed is told before anything runs.
    #[test]
    fn a_reference_that_leads_nowhere_is_told_with_its_place() {
        let config = json!({
            "a": { "$from": "/nodes/creat/id" },
            "b": ["${/nodes}", "${/trigger"],
            "c": { "$from": 1 },
            "d": { "$from": "trigger" },
            "e": "${/trigger/anything}",
        });
        let known = HashSet::from(["create"]);
        let told: Vec<_> = problems(&config, &known, 9)
            .into_iter()
            .map(|(at, what)| format!("{at}: {what}"))
            .collect();
        assert_eq!(
            told,
            [
                ".a: the node \"creat\" is none that is waited for; did you mean \"create\"?",
                ".b[0]: /nodes names no node; write /nodes/<nodeId>",
                ".b[1]: a ${ is not closed; write $${ for itself",
                ".c: $from stands alone and is a text such as \"/trigger\"",
                ".d: \"trigger\" must begin with /trigger or /nodes/<nodeId>",
            ]
        );
    }
}
