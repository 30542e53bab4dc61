//! Tests of parsing a policy file into a tree (F1, F2).

mod aliases;
mod json;
mod limits;
mod positions;
mod problem;
mod properties;
mod reading;
mod toml;
mod yaml;

use super::tree::{Content, Node, parse};
use super::{Format, Problem, Source};

/// Every notation.
const FORMATS: [Format; 3] = [Format::Yaml, Format::Json, Format::Toml];

/// The tree of a text that has nothing wrong with it.
#[track_caller]
fn tree(text: &str, format: Format) -> Node {
    let (tree, problems) = parse(&Source::new("f", text), format);
    assert!(problems.is_empty(), "{problems:?}");
    tree.unwrap()
}

/// What is left of a text that has something wrong with it.
#[track_caller]
fn rest(text: &str, format: Format) -> serde_json::Value {
    let (tree, problems) = parse(&Source::new("f", text), format);
    assert!(!problems.is_empty());
    plain(&tree.unwrap())
}

/// A tree without places. A word has a mark behind it.
fn plain(node: &Node) -> serde_json::Value {
    match &node.content {
        Content::Null => serde_json::Value::Null,
        Content::Bool(truth) => (*truth).into(),
        Content::Number(number) => (*number).into(),
        Content::Plain(word) => format!("{word}·").into(),
        Content::Text(text) => text.as_str().into(),
        Content::List(items) => items.iter().map(plain).collect(),
        Content::Map(entries) => {
            entries.iter().map(|entry| (entry.key.clone(), plain(&entry.value))).collect()
        }
    }
}

/// What is wrong with a text, as people read it.
fn problem_lines(text: &str, format: Format) -> Vec<String> {
    problems(text, format).iter().map(ToString::to_string).collect()
}

fn problems(text: &str, format: Format) -> Vec<Problem> {
    parse(&Source::new("f", text), format).1
}
