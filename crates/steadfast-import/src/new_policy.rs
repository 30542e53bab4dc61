//! A policy in the making, whose fields remember which foreign setting they came from.
//!
//! The rules of a policy are checked once, by the policy itself. What breaks one is then
//! reported where it stands in the foreign file.

use std::time::Duration;

use super::imported::ImportedPolicy;
use super::reader::Reader;
use super::value::Value;
use steadfast::duration;
use steadfast::file::Problem;
use steadfast::file::tree::Span;
use steadfast::judge::Rule;
use steadfast::policy::{Draft, PolicyError, Setting};

pub(super) struct NewPolicy {
    pub(super) id: String,
    at: Span,
    path: String,
    fields: Vec<Written>,
}

struct Written {
    field: String,
    value: Setting,
    /// Where it was written; a default of the other system was not.
    from: Option<(Span, String)>,
}

impl NewPolicy {
    /// `from` is what the policy is made of.
    pub(super) fn new(id: &str, from: &Value<'_>) -> Self {
        Self { id: id.to_owned(), at: from.key_at, path: from.path.clone(), fields: Vec::new() }
    }

    /// Sets a field to what a foreign setting means.
    pub(super) fn set(&mut self, field: &str, value: Setting, from: &Value<'_>) {
        let from = Some((from.node.at, from.path.clone()));
        self.fields.push(Written { field: field.to_owned(), value, from });
    }

    /// Sets a field to what the other system means when it says nothing.
    pub(super) fn default(&mut self, field: &str, value: Setting) {
        self.fields.push(Written { field: field.to_owned(), value, from: None });
    }

    /// Either.
    pub(super) fn put(&mut self, field: &str, value: Setting, from: Option<&Value<'_>>) {
        match from {
            Some(from) => self.set(field, value, from),
            None => self.default(field, value),
        }
    }
}

impl Reader<'_> {
    /// Adds a policy, under an id that no other has, or reports what is wrong with it. The id
    /// is returned.
    pub(super) fn add_policy(&mut self, policy: NewPolicy) -> String {
        let id = self.free_id(&policy.id);
        let mut draft = Draft::new();
        for written in &policy.fields {
            if let Err(error) = draft.set(&written.field, &written.value) {
                self.report(&policy, &error);
            }
        }
        for error in draft.problems() {
            self.report(&policy, &error);
        }
        let fields = policy.fields.into_iter().map(|written| (written.field, written.value));
        let policy = ImportedPolicy { id: id.clone(), fields: fields.collect() };
        self.imported.policies.push(policy);
        id
    }

    fn free_id(&mut self, wanted: &str) -> String {
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

    fn report(&mut self, policy: &NewPolicy, error: &PolicyError) {
        let field = error.field();
        let written = policy.fields.iter().find(|written| written.field == field);
        let (at, path) = match written.and_then(|written| written.from.as_ref()) {
            Some((at, path)) => (*at, path),
            None => (policy.at, &policy.path),
        };
        let problem = Problem::at(self.source, at, format!("as a policy: {}", error.message()));
        self.add(problem.field(path).suggest("change it here, or in the policy file afterwards"));
    }
}

pub(super) fn count(count: u32) -> Setting {
    Setting::Number(f64::from(count))
}

/// A duration as people write it.
pub(super) fn time(time: Duration) -> Setting {
    Setting::Word(duration::format(time))
}

pub(super) fn word(word: &str) -> Setting {
    Setting::Word(word.to_owned())
}

/// Rules, each once.
#[derive(Default)]
pub(super) struct RuleList(Vec<String>);

impl RuleList {
    /// Whether the text is a rule.
    pub(super) fn add(&mut self, rule: &str) -> bool {
        if !Rule::is_rule(rule) {
            return false;
        }
        if !self.0.iter().any(|known| known == rule) {
            self.0.push(rule.to_owned());
        }
        true
    }

    pub(super) fn has(&self, rule: &str) -> bool {
        self.0.iter().any(|known| known == rule)
    }

    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    pub(super) fn setting(self) -> Setting {
        Setting::List(self.0.into_iter().map(Setting::Word).collect())
    }
}
