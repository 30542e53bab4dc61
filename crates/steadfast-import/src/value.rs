//! Values of an imported file with their paths, and maps to take settings out of.

use steadfast::__private::nearest;
use steadfast::__private::tree::{Content, Entry, Node, Span};

use super::names::excerpt;

/// A value and its path.
#[derive(Clone)]
pub(super) struct Value<'t> {
    pub(super) node: &'t Node,
    pub(super) key: &'t str,
    pub(super) key_span: Span,
    pub(super) path: String,
}

/// What was read from a setting; without one, the other system's default.
#[derive(Clone)]
pub(super) struct Read<'t, T> {
    pub(super) value: T,
    pub(super) from: Option<Value<'t>>,
}

impl<'t, T> Read<'t, T> {
    pub(super) fn map<U>(self, convert: impl FnOnce(T) -> U) -> Read<'t, U> {
        Read { value: convert(self.value), from: self.from }
    }
}

/// A map to take settings out of.
pub(super) struct Fields<'t> {
    pub(super) span: Span,
    pub(super) path: String,
    /// Whether keys are compared without case, `-` and `_`: `maxAttempts` is `max-attempts`.
    pub(super) is_relaxed: bool,
    pub(super) remaining: Vec<&'t Entry>,
    pub(super) taken: Vec<&'static str>,
}

impl<'t> Fields<'t> {
    pub(super) fn new(value: &Value<'t>, entries: &'t [Entry], is_relaxed: bool) -> Self {
        let (span, path) = (value.key_span, value.path.clone());
        Self { span, path, is_relaxed, remaining: entries.iter().collect(), taken: Vec::new() }
    }

    /// Whether two keys are the same in the spelling of the format.
    pub(super) fn same(&self, left: &str, right: &str) -> bool {
        let normalize = |name: &str| {
            let letters = name.chars().filter(|letter| !matches!(letter, '-' | '_'));
            letters.map(|letter| letter.to_ascii_lowercase()).collect::<String>()
        };
        left == right || (self.is_relaxed && normalize(left) == normalize(right))
    }

    /// Takes a setting out. A null counts as absent.
    pub(super) fn take(&mut self, name: &'static str) -> Option<Value<'t>> {
        self.taken.push(name);
        let index = self.remaining.iter().position(|entry| self.same(name, &entry.key))?;
        let entry = self.remaining.remove(index);
        let value = self.value(entry);
        (value.node.content != Content::Null).then_some(value)
    }

    pub(super) fn value(&self, entry: &'t Entry) -> Value<'t> {
        Value::of_entry(&self.path, entry)
    }

    pub(super) fn unknown(&self, key: &str, others: &[(&str, &str)]) -> String {
        let others = others.iter().map(|(name, _)| *name);
        match nearest(key, self.taken.iter().copied().chain(others)) {
            Some(near) => format!("unknown setting; did you mean `{near}`?"),
            None => "unknown setting".to_owned(),
        }
    }
}

impl<'t> Value<'t> {
    /// A whole file.
    pub(super) fn root(tree: &'t Node) -> Self {
        Self { node: tree, key: "", key_span: tree.span, path: String::new() }
    }

    fn of_entry(above: &str, Entry { key, key_span, value }: &'t Entry) -> Self {
        let name = excerpt(key);
        let path = if above.is_empty() { name } else { format!("{above}.{name}") };
        Self { node: value, key, key_span: *key_span, path }
    }

    /// The items of a list; empty for another value.
    pub(super) fn items(&self) -> Vec<Self> {
        let Content::List(items) = &self.node.content else {
            return Vec::new();
        };
        let item = |(index, node): (usize, &'t Node)| Self {
            node,
            key: "",
            key_span: node.span,
            path: format!("{}[{index}]", self.path),
        };
        items.iter().enumerate().map(item).collect()
    }

    /// The entries of a map; empty for another value.
    pub(super) fn entries(&self) -> Vec<Self> {
        let Content::Map(entries) = &self.node.content else {
            return Vec::new();
        };
        entries.iter().map(|entry| Self::of_entry(&self.path, entry)).collect()
    }

    /// The value of a key, if this is a map that has it.
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
            Content::Plain(word) => number(word) == Some(0.0),
            _ => false,
        }
    }

    pub(super) fn as_text(&self) -> Option<&'t str> {
        match &self.node.content {
            Content::Plain(text) | Content::Text(text) => Some(text),
            _ => None,
        }
    }

    /// The key, or the type of a value without one. The value itself could be a secret.
    pub(super) fn name(&self) -> String {
        if self.key.is_empty() { self.describe() } else { excerpt(self.key) }
    }

    /// The value as a message shows it.
    pub(super) fn describe(&self) -> String {
        self.node.content.to_string()
    }
}

/// Whether a key matches anywhere in the tree.
pub(super) fn contains_key(node: &Node, is_key: &dyn Fn(&str) -> bool) -> bool {
    match &node.content {
        Content::List(items) => items.iter().any(|item| contains_key(item, is_key)),
        Content::Map(entries) => {
            entries.iter().any(|entry| is_key(&entry.key) || contains_key(&entry.value, is_key))
        }
        _ => false,
    }
}

/// A number in digits; `inf` and `nan` are rejected.
pub(super) fn number(text: &str) -> Option<f64> {
    let text = text.trim();
    text.bytes().any(|byte| byte.is_ascii_digit()).then(|| text.parse().ok())?
}
