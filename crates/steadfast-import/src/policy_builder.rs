//! A policy under construction, with the source position of each field.
//!
//! The policy type itself validates the fields; this builder reports each violation at the
//! position of the setting that caused it.

use std::time::Duration;

use steadfast::__private::tree::Span;
use steadfast::duration;
use steadfast::file::Problem;
use steadfast::judge::Rule;
use steadfast::policy::{Draft, PolicyError, Setting};

use super::reader::Reader;
use super::report::ImportedPolicy;
use super::value::{Read, Value};

pub(super) struct PolicyBuilder {
    pub(super) id: String,
    span: Span,
    path: String,
    fields: Vec<Field>,
}

struct Field {
    name: String,
    value: Setting,
    /// The span and path of the setting; `None` for a default of the other system.
    origin: Option<(Span, String)>,
}

impl PolicyBuilder {
    /// `from` is the section that defines the policy.
    pub(super) fn new(id: &str, from: &Value<'_>) -> Self {
        let (id, path) = (id.to_owned(), from.path.clone());
        Self { id, span: from.key_span, path, fields: Vec::new() }
    }

    /// Sets a field from a setting of the other system, or to its default.
    pub(super) fn set(&mut self, name: &str, value: impl Into<Setting>, from: Option<&Value<'_>>) {
        let origin = from.map(|from| (from.node.span, from.path.clone()));
        self.fields.push(Field { name: name.to_owned(), value: value.into(), origin });
    }

    /// Sets a field to what was read.
    pub(super) fn put(&mut self, name: &str, read: Read<'_, impl Into<Setting>>) {
        self.set(name, read.value, read.from.as_ref());
    }
}

impl Reader<'_> {
    /// Adds a policy under a unique id, and reports its problems. Returns the id.
    pub(super) fn add_policy(&mut self, policy: PolicyBuilder) -> String {
        let id = self.unique_id(&policy.id);
        let mut draft = Draft::new();
        for field in &policy.fields {
            if let Err(error) = draft.set(&field.name, &field.value) {
                self.add_policy_error(&policy, &error);
            }
        }
        for error in draft.problems() {
            self.add_policy_error(&policy, &error);
        }
        let fields = policy.fields.into_iter().map(|field| (field.name, field.value)).collect();
        self.report.policies.push(ImportedPolicy { id: id.clone(), fields });
        id
    }

    fn unique_id(&mut self, wanted: &str) -> String {
        let mut id = wanted.to_owned();
        loop {
            let times = self.ids.entry(id.clone()).or_insert(0);
            *times += 1;
            if *times == 1 {
                return id;
            }
            let number = self.ids.get(wanted).copied().unwrap_or_default();
            id = format!("{wanted}-{number}");
        }
    }

    fn add_policy_error(&mut self, policy: &PolicyBuilder, error: &PolicyError) {
        let name = error.field();
        let field = policy.fields.iter().find(|field| field.name == name);
        let (span, path) = match field.and_then(|field| field.origin.as_ref()) {
            Some((span, path)) => (*span, path),
            None => (policy.span, &policy.path),
        };
        let message = format!("invalid policy: {error}");
        let problem = Problem::at(self.source, span, message).field(path);
        self.add_problem(problem.suggest("change it here, or in the policy file after the import"));
    }
}

/// A duration in the notation of policy files.
pub(super) fn time(time: Duration) -> Setting {
    Setting::Word(duration::format(time))
}

/// A list of distinct rules.
#[derive(Default)]
pub(super) struct RuleList(Vec<String>);

impl RuleList {
    /// Adds a rule. Returns `false` if the text is not a rule.
    pub(super) fn add(&mut self, rule: &str) -> bool {
        if !Rule::is_rule(rule) {
            return false;
        }
        if !self.contains(rule) {
            self.0.push(rule.to_owned());
        }
        true
    }

    pub(super) fn contains(&self, rule: &str) -> bool {
        self.0.iter().any(|existing| existing == rule)
    }

    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

impl From<RuleList> for Setting {
    fn from(RuleList(rules): RuleList) -> Self {
        Self::List(rules.into_iter().map(Self::Word).collect())
    }
}
