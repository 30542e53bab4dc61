//! Layers of values, one over the other (F3).
//!
//! A later layer wins value by value: `breaker.timeout` in a policy leaves
//! `breaker.threshold` of the global defaults as it is. Where a value has two
//! spellings, such as `max_attempts` and `max_retries`, writing one in a later
//! layer replaces the other in an earlier one; beside each other in the same layer
//! they are a mistake, and reported.

use std::collections::BTreeMap;

use super::Source;
use super::origin::{Layer, Origin};
use super::problem::{Findings, Problem};
use super::tree::{Content, Entry, Node, Span};
use crate::policy::{Draft, PolicyError, Setting};

/// A value that a layer writes.
#[derive(Clone, Debug)]
pub(crate) struct Written<'t> {
    /// The field, or the path to it, such as `on.rate_limited.base_delay`.
    pub(crate) field: String,
    pub(crate) value: Setting,
    pub(crate) origin: Origin,
    /// Where it stands in the file.
    pub(crate) node: Option<(Span, &'t Node)>,
}

impl<'t> Written<'t> {
    /// Every value under a map of fields.
    pub(crate) fn all(layer: Layer, source: &Source, fields: &'t [Entry]) -> Vec<Self> {
        let mut all = Vec::new();
        collect(layer, source, "", fields, &mut all);
        all
    }

    /// The value cannot be read. A list is asked item by item, so that each that is wrong is
    /// pointed at.
    fn problems(&self, error: &PolicyError, file: &str) -> Vec<Problem> {
        let Some((key, node)) = self.node else {
            return vec![self.problem(error, file)];
        };
        let Some((source, _)) = self.origin.place() else {
            return vec![self.problem(error, file)];
        };
        let at = |at: Span, error: &PolicyError| {
            Problem::at(source, at, error.message()).meant(error.suggestion())
        };
        if let Content::List(items) = &node.content {
            let wrong = items.iter().enumerate().filter_map(|(place, item)| {
                let alone = Setting::List(vec![item.into()]);
                let error = Draft::new().set(&self.field, &alone).err()?;
                Some(at(item.at, &error).field(&format!("{}[{place}]", self.field)))
            });
            let wrong: Vec<_> = wrong.collect();
            if !wrong.is_empty() {
                return wrong;
            }
        }
        let place = if error.is_unknown_field() { key } else { node.at };
        vec![at(place, error).field(&self.field)]
    }

    fn problem(&self, error: &PolicyError, file: &str) -> Problem {
        at_origin(&self.origin, file, error.message()).meant(error.suggestion()).field(&self.field)
    }
}

fn collect<'t>(
    layer: Layer,
    source: &Source,
    above: &str,
    fields: &'t [Entry],
    all: &mut Vec<Written<'t>>,
) {
    // One with a dot would be taken for a path; it is reported as what it is.
    for entry in fields.iter().filter(|entry| !entry.key.contains('.')) {
        let field = format!("{above}{}", entry.key);
        match &entry.value.content {
            Content::Map(fields) if !fields.is_empty() => {
                collect(layer, source, &format!("{field}."), fields, all);
            }
            _ => all.push(Written {
                field,
                value: (&entry.value).into(),
                origin: Origin::file(layer, source, entry.value.at),
                node: Some((entry.key_at, &entry.value)),
            }),
        }
    }
}

impl From<&Node> for Setting {
    fn from(node: &Node) -> Self {
        match &node.content {
            Content::Null => Self::Null,
            Content::Bool(bool) => Self::Bool(*bool),
            Content::Number(number) => Self::Number(*number),
            Content::Word(word) => Self::Word(word.clone()),
            Content::Text(text) => Self::Text(text.clone()),
            Content::List(items) => Self::List(items.iter().map(Self::from).collect()),
            Content::Map(fields) => Self::Map(
                fields.iter().map(|entry| (entry.key.clone(), (&entry.value).into())).collect(),
            ),
        }
    }
}

/// What the layers so far make of a policy.
#[derive(Clone, Debug, Default)]
pub(crate) struct Layered {
    pub(crate) draft: Draft,
    pub(crate) origins: Origins,
}

impl Layered {
    /// Puts a layer on top. `above` is where its problems are, such as `policies.a.`.
    pub(crate) fn lay(&mut self, above: &str, layer: &[Written<'_>], findings: &mut Findings) {
        for written in layer {
            self.draft.clear_alternatives(&written.field, &written.value);
        }
        for written in layer {
            match self.draft.set(&written.field, &written.value) {
                Ok(()) => self.origins.add(&written.field, &written.origin),
                Err(_) if findings.is_full() => findings.skip(),
                Err(error) => {
                    for problem in written.problems(&error, findings.file()) {
                        findings.add(|| problem.within(above));
                    }
                }
            }
        }
    }
}

/// What the fields of a second policy begin with.
const STAGE: &str = "durable.";

/// Who wrote each value.
#[derive(Clone, Debug, Default)]
pub(crate) struct Origins(BTreeMap<String, Origin>);

impl Origins {
    fn add(&mut self, field: &str, origin: &Origin) {
        self.0.insert(field.to_owned(), origin.clone());
    }

    /// Who wrote the value of this field, in whatever spelling.
    pub(crate) fn of(&self, field: &str) -> Option<&Origin> {
        let own = field.trim_start_matches(STAGE);
        let (stage, own) = field.split_at(field.len() - own.len());
        self.in_stage(stage, own)
    }

    /// The same for a field of a stage that goes on in a store, or of the policy itself.
    fn in_stage(&self, stage: &str, field: &str) -> Option<&Origin> {
        let (above, name) = match field.rsplit_once('.') {
            Some((above, name)) => (format!("{stage}{above}."), name),
            None => (stage.to_owned(), field),
        };
        let spelled = spellings(name).iter().map(|spelling| format!("{above}{spelling}"));
        let simple = simple_spelling(field).map(|simple| format!("{stage}{simple}"));
        let names = std::iter::once(format!("{stage}{field}")).chain(spelled).chain(simple);
        // Of two spellings the later layer's counts; in one layer they cannot both be.
        let by_itself = names.filter_map(|name| self.0.get(&name)).rev_max_by_layer();
        by_itself.or_else(|| match field.split('.').collect::<Vec<_>>()[..] {
            // What is not said for a class is as for all.
            ["on", _, timing] => self.in_stage(stage, timing),
            _ => None,
        })
    }

    /// Whether a field, or anything in it, was written.
    pub(crate) fn mention(&self, field: &str) -> bool {
        let inside = format!("{field}.");
        self.0.keys().any(|written| written == field || written.starts_with(&inside))
    }

    /// Who is to blame for a rule that is broken: the last to write what it is about.
    pub(crate) fn to_blame(&self, field: &str) -> Option<&Origin> {
        let (above, name) = match field.rsplit_once('.') {
            Some((above, name)) => (format!("{above}."), name),
            None => (String::new(), field),
        };
        let partners: &[&str] = match name {
            "max_delay" | "max_duration" => &["base_delay", "backoff_type"],
            "schedule" => &["backoff_type"],
            "jitter" => &["jitter_type"],
            _ => &[],
        };
        let partners = partners.iter().filter_map(|partner| self.of(&format!("{above}{partner}")));
        self.of(field).into_iter().chain(partners).rev_max_by_layer().or_else(|| {
            let inside = self.0.iter().filter(|(written, _)| written.starts_with(field));
            inside.map(|(_, origin)| origin).rev_max_by_layer()
        })
    }
}

/// The first of those in the latest layer.
trait ByLayer<'o>: Iterator<Item = &'o Origin> + Sized {
    fn rev_max_by_layer(self) -> Option<&'o Origin> {
        self.reduce(|best, next| if next.layer() > best.layer() { next } else { best })
    }
}

impl<'o, I: Iterator<Item = &'o Origin>> ByLayer<'o> for I {}

/// Other spellings of a field.
fn spellings(name: &str) -> &'static [&'static str] {
    match name {
        "max_attempts" => &["max_retries"],
        "retry_on" => &["retryable_exceptions"],
        "jitter" => &["jitter_type", "jitter_amount"],
        "jitter_type" => &["jitter"],
        "jitter_amount" => &["jitter"],
        // `breaker: null` takes a breaker back.
        "enable_circuit_breaker" => &["breaker"],
        _ => &[],
    }
}

/// The simple spelling of a breaker's field.
fn simple_spelling(field: &str) -> Option<&'static str> {
    match field {
        "breaker.threshold" => Some("circuit_breaker_threshold"),
        "breaker.timeout" => Some("circuit_breaker_timeout"),
        _ => None,
    }
}

/// A problem with what an origin wrote.
pub(crate) fn at_origin(origin: &Origin, file: &str, message: impl Into<String>) -> Problem {
    match origin.place() {
        Some((source, at)) => Problem::at(source, at, message),
        None if origin.layer() == Layer::BuiltIn => Problem::of_file(file, message),
        None => Problem::of_file(&origin.to_string(), message),
    }
}
