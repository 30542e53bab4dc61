//! Who did what, when, from where (K3). It is only ever added to, but where whoever owns the store
//! says how long it is kept; then it says itself how much of it is gone.

use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::control::Actor;
use crate::control::program::Program;
use crate::page::{Cursor, Page, PageRequest};

/// One thing that somebody did.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct AuditEntry {
    /// Its number, which only grows; nothing before it is written.
    pub number: Option<i64>,
    /// When, by the store's clock; nothing before it is written.
    pub at: Option<Timestamp>,
    /// Who.
    pub by: Actor,
    /// What: `task.cancel`, `queue.pause`, `policy.reload`.
    pub action: String,
    /// To what: a task's id, a queue's name.
    pub target: Option<String>,
    /// What else there is to know.
    pub detail: Value,
}

impl AuditEntry {
    /// An entry to be written.
    pub fn new(by: Actor, action: impl Into<String>) -> Self {
        let action = action.into();
        Self { number: None, at: None, by, action, target: None, detail: Value::Null }
    }

    /// What it was done to.
    #[must_use]
    pub fn target(mut self, target: impl ToString) -> Self {
        self.target = Some(target.to_string());
        self
    }

    /// What else there is to know.
    #[must_use]
    pub fn detail(mut self, detail: Value) -> Self {
        self.detail = detail;
        self
    }
}

/// What to read of the log.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct AuditQuery {
    /// Only what was done to this.
    pub target: Option<String>,
    /// Only what was done by this one.
    pub actor: Option<String>,
    /// Only this: `task.cancel`.
    pub action: Option<String>,
    /// Only what was done no earlier than this.
    pub since: Option<Timestamp>,
    /// How much, and from where on.
    pub page: PageRequest,
}

impl AuditQuery {
    /// Whether entries have to be looked at to know which of them fit, and most may not. What was
    /// done to one thing, or by one actor, is found by an index; everything else is sifted.
    pub(crate) const fn sifts(&self) -> bool {
        let is_led_twice = self.target.is_some() && self.actor.is_some();
        is_led_twice || self.action.is_some() || self.since.is_some()
    }

    /// A page of entries, of which one more was read than is shown. Who looked no further than
    /// `end` goes on behind it, unless all that follows was done too early.
    pub(crate) fn cut(
        &self,
        entries: Vec<AuditEntry>,
        end: Option<AuditEntry>,
    ) -> Page<AuditEntry> {
        let page = self.page.cut(entries, |entry| entry.number);
        let end = end.filter(|end| self.since.is_none_or(|since| end.at >= Some(since)));
        let behind = end.and_then(|end| end.number).map(|number| Cursor(number.to_string()));
        Page { next: page.next.or(behind), ..page }
    }
}

/// The action of an entry that reports pruned entries.
const PRUNE: &str = "audit.prune";

impl AuditEntry {
    /// The entry for a saved workflow definition.
    pub(crate) fn workflow_saved(actor: &Actor, number: i64) -> Self {
        Self::new(actor.clone(), "workflow.keep").target(number)
    }

    /// The entry for pruned entries, given by their numbers and actions. `None` if only such
    /// entries were pruned, because otherwise every prune would leave a new one.
    pub(crate) fn pruned<'e>(
        entries: impl Iterator<Item = (i64, &'e str)> + Clone,
    ) -> Option<Self> {
        entries.clone().find(|(_, action)| *action != PRUNE)?;
        let numbers = entries.map(|(number, _)| number);
        let (first, last) = (numbers.clone().min()?, numbers.clone().max()?);
        let detail = json!({ "entries": numbers.count(), "first": first, "last": last });
        Some(Self::new(Program::Store.into(), PRUNE).detail(detail))
    }
}
