//! The first half of the policy file, as the specification tells it (F1, F2).

mod yaml;

use super::tree::{Content, Node, parse};
use super::{Format, Problem, Source};

/// A tree without places, for comparing.
fn plain(node: &Node) -> serde_json::Value {
    match &node.content {
        Content::Null => serde_json::Value::Null,
        Content::Bool(truth) => (*truth).into(),
        Content::Number(number) => (*number).into(),
        Content::Word(word) => format!("{word}·").into(),
        Content::Text(text) => text.as_str().into(),
        Content::List(items) => items.iter().map(plain).collect(),
        Content::Map(entries) => {
            entries.iter().map(|entry| (entry.key.clone(), plain(&entry.value))).collect()
        }
    }
}

/// The tree of a text that has nothing wrong with it.
fn tree(text: &str, format: Format) -> Node {
    let (tree, problems) = parse(&Source::new("f", text), format);
    assert!(problems.is_empty(), "{problems:?}");
    tree.unwrap()
}

/// What is wrong with a text, as people read it.
fn refusals(text: &str, format: Format) -> Vec<String> {
    problems(text, format).iter().map(ToString::to_string).collect()
}

fn problems(text: &str, format: Format) -> Vec<Problem> {
    parse(&Source::new("f", text), format).1
}
