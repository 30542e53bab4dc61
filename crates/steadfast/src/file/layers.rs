//! Layers of field values (F3).
//!
//! A later layer overrides single values: `breaker.timeout` of a policy keeps `breaker.threshold` of
//! the global defaults. If a value has two spellings, such as `max_attempts` and `max_retries`,
//! either one in a later layer replaces the other; both in one layer are an error.

use std::collections::{BTreeMap, BTreeSet};

use super::Source;
use super::origin::{Layer, Origin};
use super::problem::{Findings, Problem};
use super::tree::{Content, Entry, Node, Span};
use crate::policy::{Draft, PolicyError, Setting};

#[derive(Clone, Debug)]
pub(crate) struct FieldValue<'t> {
    /// The field, or the path to it, such as `on.rate_limited.base_delay`.
    pub(crate) field: String,
    pub(crate) value: Setting,
    pub(crate) origin: Origin,
    /// The span of its key and its node in the file.
    pub(crate) node: Option<(Span, &'t Node)>,
    /// The spans of the keys above it, outermost first.
    pub(crate) parents: Vec<Span>,
}

impl<'t> FieldValue<'t> {
    /// Every value in a map of fields.
    pub(crate) fn all(layer: Layer, source: &Source, fields: &'t [Entry]) -> Vec<Self> {
        let mut all = Vec::new();
        collect(layer, source, ("", &[]), fields, &mut all);
        all
    }

    /// The problems of a value that cannot be read. Each invalid item of a list is a problem.
    fn problems(&self, error: &PolicyError, file: &str) -> Vec<Problem> {
        let (Some((key, node)), Some((source, _))) = (self.node, self.origin.location()) else {
            let problem = problem_at_origin(&self.origin, file, error.message());
            return vec![problem.did_you_mean(error.suggestion()).field(&self.field)];
        };
        let at = |at: Span, error: &PolicyError| {
            Problem::at(source, at, error.message()).did_you_mean(error.suggestion())
        };
        let error_field = error.field();
        let depth = error_field.split('.').count();
        if let (true, Some(parent)) = (error.is_unknown_field(), depth.checked_sub(1))
            && let Some(key) = self.parents.get(parent)
        {
            return vec![at(*key, error).field(&error_field)];
        }
        if let Content::List(items) = &node.content
            && is_list_field(&self.field)
        {
            let problems = items.iter().enumerate().filter_map(|(index, item)| {
                let alone = Setting::List(vec![item.into()]);
                let error = Draft::new().set(&self.field, &alone).err()?;
                Some(at(item.span, &error).field(&format!("{}[{index}]", self.field)))
            });
            let problems: Vec<_> = problems.collect();
            if !problems.is_empty() {
                return problems;
            }
        }
        let span = if error.is_unknown_field() { key } else { node.span };
        vec![at(span, error).field(&self.field)]
    }
}

/// Whether the field is a list, so that a problem may be one of its items.
fn is_list_field(field: &str) -> bool {
    let name = field.rsplit('.').next().unwrap_or_default();
    matches!(name, "schedule" | "retry_on" | "retryable_exceptions" | "abort_on")
}

fn collect<'t>(
    layer: Layer,
    source: &Source,
    (above, parents): (&str, &[Span]),
    fields: &'t [Entry],
    all: &mut Vec<FieldValue<'t>>,
) {
    // A key with a dot would be read as a path; the document reports it.
    for entry in fields.iter().filter(|entry| !entry.key.contains('.')) {
        let field = format!("{above}{}", entry.key);
        match &entry.value.content {
            Content::Map(fields) if !fields.is_empty() => {
                let parents = [parents, &[entry.key_span]].concat();
                collect(layer, source, (&format!("{field}."), &parents), fields, all);
            }
            _ => all.push(FieldValue {
                field,
                value: (&entry.value).into(),
                origin: Origin::file(layer, source, entry.value.span),
                node: Some((entry.key_span, &entry.value)),
                parents: parents.to_vec(),
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
            Content::Plain(plain) => Self::Word(plain.clone()),
            Content::Text(text) => Self::Text(text.clone()),
            Content::List(items) => Self::List(items.iter().map(Self::from).collect()),
            Content::Map(fields) => Self::Map(
                fields.iter().map(|entry| (entry.key.clone(), (&entry.value).into())).collect(),
            ),
        }
    }
}

/// A policy with the layers applied so far.
#[derive(Clone, Debug, Default)]
pub(crate) struct Layered {
    pub(crate) draft: Draft,
    pub(crate) origins: Origins,
    /// The fields with a value that could not be read.
    pub(crate) invalid: BTreeSet<String>,
}

impl Layered {
    /// Applies a layer. `above` is the path prefix of its problems, such as `policies.a.`.
    pub(crate) fn apply(&mut self, above: &str, layer: &[FieldValue<'_>], findings: &mut Findings) {
        for each in layer {
            self.draft.clear_alternatives(&each.field, &each.value);
        }
        for each in layer {
            match self.draft.set(&each.field, &each.value) {
                Ok(()) => self.origins.add(&each.field, &each.origin),
                Err(_) if findings.is_full() => findings.skip(),
                Err(error) => {
                    let is_new = self.invalid.insert(error.field());
                    // An unknown part is reported once, not for each of its fields.
                    if !is_new && error.is_unknown_field() {
                        continue;
                    }
                    for problem in each.problems(&error, findings.file()) {
                        findings.add(|| problem.within(above));
                    }
                }
            }
        }
    }

    /// Whether the problem of a field may follow from another field whose value could not be read.
    pub(crate) fn is_consequence(&self, field: &str) -> bool {
        let (above, name) = match field.rsplit_once('.') {
            Some((above, name)) => (format!("{above}."), name),
            None => (String::new(), field),
        };
        partners(name).iter().any(|partner| {
            self.invalid.contains(&format!("{above}{partner}")) || self.invalid.contains(*partner)
        })
    }
}

const DURABLE_PREFIX: &str = "durable.";

#[derive(Clone, Debug, Default)]
pub(crate) struct Origins(BTreeMap<String, Origin>);

impl Origins {
    fn add(&mut self, field: &str, origin: &Origin) {
        self.0.insert(field.to_owned(), origin.clone());
    }

    /// The origin of a field's value, in any spelling.
    pub(crate) fn of(&self, field: &str) -> Option<&Origin> {
        let name = field.trim_start_matches(DURABLE_PREFIX);
        let (stage, name) = field.split_at(field.len() - name.len());
        self.in_stage(stage, name)
    }

    /// The origin of a field in a durable stage, or in the policy itself.
    fn in_stage(&self, stage: &str, field: &str) -> Option<&Origin> {
        let (above, name) = match field.rsplit_once('.') {
            Some((above, name)) => (format!("{stage}{above}."), name),
            None => (stage.to_owned(), field),
        };
        let spelled = spellings(name).iter().map(|spelling| format!("{above}{spelling}"));
        let simple = simple_spelling(field).map(|simple| format!("{stage}{simple}"));
        let names = std::iter::once(format!("{stage}{field}")).chain(spelled).chain(simple);
        // Of two spellings the later layer's applies; one layer cannot have both.
        let own = highest(names.filter_map(|name| self.0.get(&name)));
        own.or_else(|| match field.split('.').collect::<Vec<_>>()[..] {
            // An unset timing of a class is that of the policy.
            ["on", _, timing] => self.in_stage(stage, timing),
            _ => None,
        })
    }

    /// Whether a field, or a field in it, is set.
    pub(crate) fn mention(&self, field: &str) -> bool {
        let inside = format!("{field}.");
        self.0.keys().any(|name| name == field || name.starts_with(&inside))
    }

    /// The origin of an invalid value: the last layer that set it or a field it depends on.
    pub(crate) fn origin_of_error(&self, field: &str) -> Option<&Origin> {
        let (above, name) = match field.rsplit_once('.') {
            Some((above, name)) => (format!("{above}."), name),
            None => (String::new(), field),
        };
        let partners = partners(name).iter().filter(|_| name != "backoff_type");
        let partners = partners.filter_map(|partner| self.of(&format!("{above}{partner}")));
        highest(self.of(field).into_iter().chain(partners)).or_else(|| {
            let inside = self.0.iter().filter(|(name, _)| name.starts_with(field));
            highest(inside.map(|(_, origin)| origin))
        })
    }
}

/// The fields that a rule of this field depends on.
fn partners(name: &str) -> &'static [&'static str] {
    match name {
        "min_delay" => &["max_delay", "base_delay", "backoff_type"],
        "max_delay" | "max_duration" => &["base_delay", "backoff_type"],
        "schedule" => &["backoff_type"],
        "backoff_type" => &["schedule"],
        "jitter" => &["jitter_type"],
        _ => &[],
    }
}

/// The first origin of the highest layer.
fn highest<'o>(origins: impl Iterator<Item = &'o Origin>) -> Option<&'o Origin> {
    origins.reduce(|best, next| if next.layer() > best.layer() { next } else { best })
}

fn spellings(name: &str) -> &'static [&'static str] {
    match name {
        "max_attempts" => &["max_retries"],
        "retry_on" => &["retryable_exceptions"],
        "jitter" => &["jitter_type", "jitter_amount"],
        "jitter_type" => &["jitter"],
        "jitter_amount" => &["jitter"],
        // `breaker: null` removes a breaker.
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

pub(crate) fn problem_at_origin(
    origin: &Origin,
    file: &str,
    message: impl Into<String>,
) -> Problem {
    match origin.location() {
        Some((source, at)) => Problem::at(source, at, message),
        None if origin.layer() == Layer::BuiltIn => Problem::of_file(file, message),
        None => Problem::of_file(&origin.to_string(), message),
    }
}
