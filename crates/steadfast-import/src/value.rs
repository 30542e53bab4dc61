//! The values of a foreign file, and the maps that they are taken out of.

use super::names::shown;
use steadfast::file::tree::{Content, Entry, Node, Span};
use steadfast::nearest;

/// A value, and the way to it.
#[derive(Clone)]
pub(super) struct Value<'t> {
    pub(super) node: &'t Node,
    pub(super) key: &'t str,
    pub(super) key_at: Span,
    pub(super) path: String,
}

/// A map, emptied setting by setting.
pub(super) struct Fields<'t> {
    pub(super) at: Span,
    pub(super) path: String,
    pub(super) spelling: Spelling,
    pub(super) left: Vec<&'t Entry>,
    pub(super) known: Vec<&'static str>,
}

/// Whether a key may be written in more than one way.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Spelling {
    /// To the letter.
    Exact,
    /// `maxAttempts`, `max-attempts` and `max_attempts` are the same.
    Relaxed,
}

impl Spelling {
    pub(super) fn same(self, left: &str, right: &str) -> bool {
        let letters = |name: &'_ str| {
            let kept = name.chars().filter(|letter| !matches!(letter, '-' | '_'));
            kept.map(|letter| letter.to_ascii_lowercase()).collect::<String>()
        };
        left == right || (self == Self::Relaxed && letters(left) == letters(right))
    }
}

impl<'t> Fields<'t> {
    pub(super) fn new(value: &Value<'t>, entries: &'t [Entry], spelling: Spelling) -> Self {
        let (at, path) = (value.key_at, value.path.clone());
        Self { at, path, spelling, left: entries.iter().collect(), known: Vec::new() }
    }

    /// Takes a setting out. One that says nothing is not there.
    pub(super) fn take(&mut self, name: &'static str) -> Option<Value<'t>> {
        self.known.push(name);
        let place = self.left.iter().position(|entry| self.spelling.same(name, &entry.key))?;
        let entry = self.left.remove(place);
        let value = self.value(entry);
        (value.node.content != Content::Null).then_some(value)
    }

    pub(super) fn value(&self, entry: &'t Entry) -> Value<'t> {
        Value {
            node: &entry.value,
            key: &entry.key,
            key_at: entry.key_at,
            path: below(&self.path, &entry.key),
        }
    }

    pub(super) fn unknown(&self, key: &str, others: &[(&str, &str)]) -> String {
        let others = others.iter().map(|(name, _)| *name);
        match nearest(key, self.known.iter().copied().chain(others)) {
            Some(near) => format!("no such setting is known; did you mean {near}?"),
            None => "no such setting is known".to_owned(),
        }
    }
}

impl<'t> Value<'t> {
    /// A whole file.
    pub(super) fn root(tree: &'t Node) -> Self {
        Self { node: tree, key: "", key_at: tree.at, path: String::new() }
    }

    /// The items of a list; none, if it is none.
    pub(super) fn items(&self) -> Vec<Self> {
        let Content::List(items) = &self.node.content else {
            return Vec::new();
        };
        let item = |(place, node): (usize, &'t Node)| Self {
            node,
            key: "",
            key_at: node.at,
            path: format!("{}[{place}]", self.path),
        };
        items.iter().enumerate().map(item).collect()
    }

    /// The keys and values of a map; none, if it is none.
    pub(super) fn entries(&self) -> Vec<Self> {
        let Content::Map(entries) = &self.node.content else {
            return Vec::new();
        };
        let entry = |entry: &'t Entry| Self {
            node: &entry.value,
            key: &entry.key,
            key_at: entry.key_at,
            path: below(&self.path, &entry.key),
        };
        entries.iter().map(entry).collect()
    }

    /// What stands under a key, if it is a map that has it.
    pub(super) fn get(&self, key: &str) -> Option<Self> {
        self.entries().into_iter().find(|entry| entry.key == key)
    }

    pub(super) fn is_map(&self) -> bool {
        matches!(self.node.content, Content::Map(_))
    }

    pub(super) fn is_list(&self) -> bool {
        matches!(self.node.content, Content::List(_))
    }

    /// Whether it is the number 0.
    pub(super) fn is_zero(&self) -> bool {
        match &self.node.content {
            Content::Number(number) => *number == 0.0,
            Content::Word(word) => number(word) == Some(0.0),
            _ => false,
        }
    }

    pub(super) fn as_text(&self) -> Option<&'t str> {
        match &self.node.content {
            Content::Word(text) | Content::Text(text) => Some(text),
            _ => None,
        }
    }

    /// The key. The value is left out: what is not known could be a secret.
    pub(super) fn in_words(&self) -> String {
        if self.key.is_empty() { described(self.node) } else { shown(self.key) }
    }
}

/// Whether there is such a key anywhere in it.
pub(super) fn holds_key(node: &Node, is_key: &dyn Fn(&str) -> bool) -> bool {
    match &node.content {
        Content::List(items) => items.iter().any(|item| holds_key(item, is_key)),
        Content::Map(entries) => {
            entries.iter().any(|entry| is_key(&entry.key) || holds_key(&entry.value, is_key))
        }
        _ => false,
    }
}

fn below(path: &str, key: &str) -> String {
    if path.is_empty() { shown(key) } else { format!("{path}.{}", shown(key)) }
}

/// A number as people write it; `inf` is none.
pub(super) fn number(text: &str) -> Option<f64> {
    let text = text.trim();
    text.bytes().any(|byte| byte.is_ascii_digit()).then(|| text.parse().ok())?
}

/// A value for a message.
pub(super) fn described(node: &Node) -> String {
    match &node.content {
        Content::Null => "nothing".to_owned(),
        Content::Bool(bool) => bool.to_string(),
        Content::Number(number) => number.to_string(),
        Content::Word(text) | Content::Text(text) => format!("`{}`", shown(text)),
        Content::List(_) => "a list".to_owned(),
        Content::Map(_) => "a map".to_owned(),
    }
}
