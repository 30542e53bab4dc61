//! The shape of a policy file: version, defaults, policies, mappings (F1).
//!
//! This knows which keys a file has and what stands under them, not what a policy's
//! fields mean. Whatever is misplaced is reported and left out, and reading goes on,
//! so that all that is wrong is said at once (F2).

use super::Source;
use super::layers::Written;
use super::origin::Layer;
use super::own::Own;
use super::problem::{Findings, Problem, shown};
use super::tree::{Content, Entry, Node, Span};
use crate::nearest::nearest;

/// What a file says, field by field.
#[derive(Default)]
pub(crate) struct Document<'t> {
    pub(crate) defaults: Vec<Written<'t>>,
    pub(crate) policies: Vec<WrittenPolicy<'t>>,
    pub(crate) mappings: Vec<Mapping>,
    pub(crate) own: Vec<Own>,
}

/// A policy as it stands in a file.
pub(crate) struct WrittenPolicy<'t> {
    pub(crate) id: String,
    pub(crate) key: Span,
    pub(crate) fields: Vec<Written<'t>>,
}

/// `subsystem.operation.case`, and the policy that it names.
pub(crate) struct Mapping {
    pub(crate) subsystem: String,
    pub(crate) operation: String,
    pub(crate) case: String,
    pub(crate) policy: String,
    /// Where the policy is named.
    pub(crate) at: Span,
}

impl Mapping {
    pub(crate) fn path(&self) -> String {
        let Self { subsystem, operation, case, .. } = self;
        format!("{MAPPINGS}.{}.{}.{}", shown(subsystem), shown(operation), shown(case))
    }
}

pub(crate) const VERSION: &str = "version";
pub(crate) const DEFAULTS: &str = "global_defaults";
pub(crate) const POLICIES: &str = "policies";
pub(crate) const MAPPINGS: &str = "subsystem_mappings";
const KEYS: [&str; 4] = [VERSION, DEFAULTS, POLICIES, MAPPINGS];

/// The newest minor version of format 1 that is understood.
pub(crate) const NEWEST_MINOR: u32 = 1;

/// The version that a new file should have.
pub(crate) const NEWEST: &str = "1.1.0";

/// A key at the top that is the writer's own, for anchors, notes and settings of the program.
pub(crate) const OWN_KEY: &str = "x-";

/// Reads the tree of a file.
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
            own if own.starts_with(OWN_KEY) => document.own.push(Own {
                key: own.to_owned(),
                value: (&entry.value).into(),
                at: entry.value.at,
            }),
            unknown => reader.unknown_key(unknown, entry.key_at),
        }
    }
    reader.require(entries, VERSION, &format!("begin the file with version: \"{NEWEST}\""));
    reader.require(entries, POLICIES, "name each policy under policies:");
    document
}

struct Reader<'a, 'f> {
    source: &'a Source,
    findings: &'f mut Findings,
}

impl Reader<'_, '_> {
    fn add(&mut self, at: Span, path: &str, message: impl Into<String>, next: Option<&str>) {
        let source = self.source;
        self.findings.add(|| {
            let problem = Problem::at(source, at, message).field(path);
            match next {
                Some(next) => problem.suggest(next),
                None => problem,
            }
        });
    }

    /// The entries of a map. Nothing is a map without entries.
    fn map<'t>(&mut self, node: &'t Node, path: &str, wanted: &str) -> Option<&'t [Entry]> {
        match &node.content {
            Content::Map(entries) => Some(entries),
            Content::Null => Some(&[]),
            other => {
                self.add(node.at, path, format!("{} is not {wanted}", described(other)), None);
                None
            }
        }
    }

    fn require(&mut self, entries: &[Entry], key: &str, next: &str) {
        if entries.iter().any(|entry| entry.key == key) {
            return;
        }
        self.add(Span::new(0, 0), key, format!("{key} is missing"), Some(next));
    }

    fn unknown_key(&mut self, key: &str, at: Span) {
        let near = nearest(key, KEYS);
        let next = match near {
            Some(near) => format!("did you mean {near}?"),
            None => format!("a key of your own begins with {OWN_KEY}"),
        };
        self.add(at, &shown(key), "no such key", Some(&next));
    }

    fn version(&mut self, node: &Node) {
        let written = match &node.content {
            Content::Word(text) | Content::Text(text) => text.clone(),
            Content::Number(number) => number.to_string(),
            other => described(other),
        };
        let numbers: Vec<_> = written.split('.').map(str::parse::<u32>).collect();
        if let [Ok(1), Ok(minor), Ok(_)] = numbers[..]
            && minor <= NEWEST_MINOR
        {
            return;
        }
        let message = format!("version {} is not supported", shown(&written));
        self.add(node.at, VERSION, message, Some("write \"1.0.0\" or \"1.1.0\", in quotes"));
    }

    fn fields<'t>(&mut self, layer: Layer, entry: &'t Entry, path: &str) -> Vec<Written<'t>> {
        let fields = self.map(&entry.value, path, "a map of fields").unwrap_or_default();
        self.report_dotted(path, fields);
        Written::all(layer, self.source, fields)
    }

    /// A field's name has no dot: a part's fields are nested in it.
    fn report_dotted(&mut self, above: &str, fields: &[Entry]) {
        for entry in fields {
            let path = format!("{above}.{}", shown(&entry.key));
            if entry.key.contains('.') {
                let next = "nest its parts in each other";
                self.add(entry.key_at, &path, "no such field", Some(next));
            } else if let Content::Map(fields) = &entry.value.content {
                self.report_dotted(&path, fields);
            }
        }
    }

    fn policies<'t>(&mut self, node: &'t Node) -> Vec<WrittenPolicy<'t>> {
        let entries = self.map(node, POLICIES, "a map of policies").unwrap_or_default();
        entries.iter().map(|entry| self.policy(entry)).collect()
    }

    fn policy<'t>(&mut self, entry: &'t Entry) -> WrittenPolicy<'t> {
        let path = format!("{POLICIES}.{}", shown(&entry.key));
        if entry.key.trim().is_empty() {
            self.add(entry.key_at, &path, "a policy needs a name", None);
        }
        let mut fields = self.fields(Layer::Policy, entry, &path);
        fields.retain(|written| written.field != "id" || !self.repeats_id(&path, entry, written));
        WrittenPolicy { id: entry.key.clone(), key: entry.key_at, fields }
    }

    /// A policy may say its id again, but not another.
    fn repeats_id(&mut self, path: &str, entry: &Entry, written: &Written<'_>) -> bool {
        if let Some((_, node)) = written.node
            && !node.says(&entry.key)
        {
            let next = format!("leave it out: the id is {}", shown(&entry.key));
            self.add(node.at, &format!("{path}.id"), "the id is not the policy's key", Some(&next));
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
                let wanted = "a map of cases, each with the name of a policy";
                for case in self.map(&operation.value, &path, wanted).unwrap_or_default() {
                    let path = self.name(&path, case);
                    mappings.extend(self.mapping(&path, [subsystem, operation, case]));
                }
            }
        }
        mappings
    }

    /// A part of a mapped name. With a dot in it, it could never be asked for.
    fn name(&mut self, above: &str, entry: &Entry) -> String {
        let path = format!("{above}.{}", shown(&entry.key));
        if entry.key.contains('.') || entry.key.is_empty() {
            let message = "a part of a name is not empty and has no dot";
            self.add(entry.key_at, &path, message, Some("nest its parts in each other"));
        }
        path
    }

    fn mapping(&mut self, path: &str, names: [&Entry; 3]) -> Option<Mapping> {
        let [.., Entry { value, .. }] = names;
        let (Content::Word(policy) | Content::Text(policy)) = &value.content else {
            let message = format!("{} is not the name of a policy", described(&value.content));
            self.add(value.at, path, message, None);
            return None;
        };
        let [subsystem, operation, case] = names.map(|entry| entry.key.clone());
        Some(Mapping { subsystem, operation, case, policy: policy.clone(), at: value.at })
    }
}

impl Node {
    fn says(&self, text: &str) -> bool {
        matches!(&self.content, Content::Word(said) | Content::Text(said) if said == text)
    }
}

fn described(content: &Content) -> String {
    match content {
        Content::Null => "nothing".to_owned(),
        Content::Bool(bool) => bool.to_string(),
        Content::Number(number) => number.to_string(),
        Content::Word(text) | Content::Text(text) => format!("`{}`", shown(text)),
        Content::List(_) => "a list".to_owned(),
        Content::Map(_) => "a map".to_owned(),
    }
}
