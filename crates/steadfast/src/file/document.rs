//! The structure of a policy file: version, defaults, policies, mappings (F1).
//!
//! This module knows the keys of a file, not the meaning of a policy's fields. An invalid part is
//! reported and left out, and reading continues, so that all problems are reported at once (F2).

use super::Source;
use super::extensions::Extension;
use super::layers::FieldValue;
use super::origin::Layer;
use super::problem::{Findings, Problem, excerpt};
use super::tree::{Content, Entry, Node, Span};
use crate::nearest::nearest;

#[derive(Default)]
pub(crate) struct Document<'t> {
    pub(crate) defaults: Vec<FieldValue<'t>>,
    pub(crate) policies: Vec<PolicyEntry<'t>>,
    pub(crate) mappings: Vec<Mapping>,
    pub(crate) extensions: Vec<Extension>,
}

pub(crate) struct PolicyEntry<'t> {
    pub(crate) id: String,
    pub(crate) key: Span,
    pub(crate) fields: Vec<FieldValue<'t>>,
}

/// A name `subsystem.operation.case` and its policy.
pub(crate) struct Mapping {
    pub(crate) subsystem: String,
    pub(crate) operation: String,
    pub(crate) case: String,
    pub(crate) policy: String,
    /// The span of the policy's id.
    pub(crate) at: Span,
}

impl Mapping {
    pub(crate) fn path(&self) -> String {
        let Self { subsystem, operation, case, .. } = self;
        format!("{MAPPINGS}.{}.{}.{}", excerpt(subsystem), excerpt(operation), excerpt(case))
    }
}

pub(crate) const VERSION: &str = "version";
pub(crate) const DEFAULTS: &str = "global_defaults";
pub(crate) const POLICIES: &str = "policies";
pub(crate) const MAPPINGS: &str = "subsystem_mappings";
const KEYS: [&str; 4] = [VERSION, DEFAULTS, POLICIES, MAPPINGS];

/// The newest supported minor version of format 1.
pub(crate) const NEWEST_MINOR: u32 = 1;

/// The version of a new file.
pub(crate) const NEWEST_VERSION: &str = "1.1.0";

/// The prefix of extension keys, for anchors, notes and settings of the application.
pub(crate) const EXTENSION_PREFIX: &str = "x-";

pub(crate) fn read<'t>(source: &Source, tree: &'t Node, findings: &mut Findings) -> Document<'t> {
    let mut reader = Reader { source, findings };
    let mut document = Document::default();
    let Some(entries) = reader.map(tree, "", "a map with version and policies") else {
        return document;
    };
    for entry in entries {
        match entry.key.as_str() {
            VERSION => reader.version(&entry.value),
            DEFAULTS => document.defaults = reader.fields(Layer::GlobalDefaults, entry, DEFAULTS),
            POLICIES => document.policies = reader.policies(&entry.value),
            MAPPINGS => document.mappings = reader.mappings(&entry.value),
            key if key.starts_with(EXTENSION_PREFIX) => document.extensions.push(Extension {
                key: key.to_owned(),
                value: (&entry.value).into(),
                at: entry.value.span,
            }),
            unknown => reader.unknown_key(unknown, entry.key_span),
        }
    }
    reader.require(entries, VERSION, &format!("start the file with version: \"{NEWEST_VERSION}\""));
    reader.require(entries, POLICIES, "define the policies under policies:");
    document
}

struct Reader<'a, 'f> {
    source: &'a Source,
    findings: &'f mut Findings,
}

impl Reader<'_, '_> {
    fn add(&mut self, at: Span, path: &str, message: impl Into<String>, hint: Option<&str>) {
        let source = self.source;
        self.findings.add(|| {
            let problem = Problem::at(source, at, message).field(path);
            match hint {
                Some(hint) => problem.suggest(hint),
                None => problem,
            }
        });
    }

    /// The entries of a map. Null is an empty map.
    fn map<'t>(&mut self, node: &'t Node, path: &str, wanted: &str) -> Option<&'t [Entry]> {
        match &node.content {
            Content::Map(entries) => Some(entries),
            Content::Null => Some(&[]),
            other => {
                self.add(node.span, path, format!("expected {wanted}, not {other}"), None);
                None
            }
        }
    }

    fn require(&mut self, entries: &[Entry], key: &str, next: &str) {
        if entries.iter().any(|entry| entry.key == key) {
            return;
        }
        self.add(Span::new(0, 0), "", format!("missing field `{key}`"), Some(next));
    }

    fn unknown_key(&mut self, key: &str, at: Span) {
        let near = nearest(key, KEYS);
        let next = match near {
            Some(near) => format!("did you mean `{near}`?"),
            None => {
                format!("use {}; your own keys must start with {EXTENSION_PREFIX}", KEYS.join(", "))
            }
        };
        self.add(at, &excerpt(key), "unknown key", Some(&next));
    }

    fn version(&mut self, node: &Node) {
        let version = match &node.content {
            Content::Plain(text) | Content::Text(text) => text.clone(),
            Content::Number(number) => number.to_string(),
            other => other.to_string(),
        };
        let numbers: Vec<_> = version.split('.').map(str::parse::<u32>).collect();
        if let [Ok(1), Ok(minor), Ok(_)] = numbers[..]
            && minor <= NEWEST_MINOR
        {
            return;
        }
        let message = format!("unsupported version {}", excerpt(&version));
        self.add(node.span, VERSION, message, Some("write \"1.0.0\" or \"1.1.0\", in quotes"));
    }

    fn fields<'t>(&mut self, layer: Layer, entry: &'t Entry, path: &str) -> Vec<FieldValue<'t>> {
        let fields = self.map(&entry.value, path, "a map of fields").unwrap_or_default();
        self.report_dotted(path, fields);
        FieldValue::all(layer, self.source, fields)
    }

    /// Reports field names with a dot; nested fields are nested maps.
    fn report_dotted(&mut self, above: &str, fields: &[Entry]) {
        for entry in fields {
            let path = format!("{above}.{}", excerpt(&entry.key));
            if entry.key.contains('.') {
                let next = nested(&entry.key);
                self.add(entry.key_span, &path, NO_DOTS, Some(&next));
            } else if let Content::Map(fields) = &entry.value.content {
                self.report_dotted(&path, fields);
            }
        }
    }

    fn policies<'t>(&mut self, node: &'t Node) -> Vec<PolicyEntry<'t>> {
        let entries = self.map(node, POLICIES, "a map of policies").unwrap_or_default();
        entries.iter().map(|entry| self.policy(entry)).collect()
    }

    fn policy<'t>(&mut self, entry: &'t Entry) -> PolicyEntry<'t> {
        let path = format!("{POLICIES}.{}", excerpt(&entry.key));
        if entry.key.trim().is_empty() {
            self.add(entry.key_span, &path, "the name of a policy must not be empty", None);
        }
        let mut fields = self.fields(Layer::Policy, entry, &path);
        fields.retain(|field| field.field != "id" || !self.check_id(&path, entry, field));
        PolicyEntry { id: entry.key.clone(), key: entry.key_span, fields }
    }

    /// A policy may repeat its id.
    fn check_id(&mut self, path: &str, entry: &Entry, field: &FieldValue<'_>) -> bool {
        if let Some((_, node)) = field.node
            && !node.is_string(&entry.key)
        {
            let next = format!("remove it: the id is {}", excerpt(&entry.key));
            self.add(
                node.span,
                &format!("{path}.id"),
                "the id differs from the policy's key",
                Some(&next),
            );
        }
        true
    }

    fn mappings(&mut self, node: &Node) -> Vec<Mapping> {
        let mut mappings = Vec::new();
        for subsystem in self.map(node, MAPPINGS, "a map of subsystems").unwrap_or_default() {
            let path = self.name(MAPPINGS, subsystem);
            let wanted = "a map of operations";
            for operation in self.map(&subsystem.value, &path, wanted).unwrap_or_default() {
                let path = self.name(&path, operation);
                let wanted = "a map from cases to policy names";
                for case in self.map(&operation.value, &path, wanted).unwrap_or_default() {
                    let path = self.name(&path, case);
                    mappings.extend(self.mapping(&path, [subsystem, operation, case]));
                }
            }
        }
        mappings
    }

    /// A part of a mapped name. With a dot in it, it would never match.
    fn name(&mut self, above: &str, entry: &Entry) -> String {
        let path = format!("{above}.{}", excerpt(&entry.key));
        if entry.key.contains('.') {
            self.add(entry.key_span, &path, NO_DOTS, Some(&nested(&entry.key)));
        } else if entry.key.is_empty() {
            self.add(entry.key_span, &path, "a name must not be empty", None);
        }
        path
    }

    fn mapping(&mut self, path: &str, names: [&Entry; 3]) -> Option<Mapping> {
        let [.., Entry { value, .. }] = names;
        let (Content::Plain(policy) | Content::Text(policy)) = &value.content else {
            let message = format!("expected a policy name, not {}", value.content);
            self.add(value.span, path, message, None);
            return None;
        };
        let [subsystem, operation, case] = names.map(|entry| entry.key.clone());
        Some(Mapping { subsystem, operation, case, policy: policy.clone(), at: value.span })
    }
}

const NO_DOTS: &str = "names cannot contain a dot";

/// How to write a name with dots: `a.b` as nested maps.
fn nested(name: &str) -> String {
    match name.split_once('.') {
        Some((outer, inner)) if !outer.is_empty() && !inner.is_empty() => {
            format!("write {}: {{{}: …}}", excerpt(outer), excerpt(inner))
        }
        _ => "nest its parts as maps".to_owned(),
    }
}

impl Node {
    fn is_string(&self, text: &str) -> bool {
        matches!(&self.content, Content::Plain(string) | Content::Text(string) if string == text)
    }
}
