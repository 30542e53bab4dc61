//! The audit log (K3): actor, action, target and details.
//!
//! Entries are append-only. With a retention, old entries are deleted, and an entry records that.

use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::control::{Actor, Program, Requeue, Requeued};
use crate::page::{Cursor, Page, PageRequest};
use crate::task::filter::Filter;

/// An entry of the audit log. Its number and time are set when it is written.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct AuditEntry {
    /// The number of the entry. Numbers increase.
    pub number: Option<i64>,
    /// The time of the action.
    pub at: Option<Timestamp>,
    /// The actor.
    #[serde(alias = "by")]
    pub actor: Actor,
    /// The action, such as `task.cancel` or `queue.pause`.
    pub action: String,
    /// The target, such as a task id or a queue name.
    pub target: Option<String>,
    /// Details of the action.
    pub detail: Value,
}

impl AuditEntry {
    /// An entry to be written.
    pub fn new(actor: Actor, action: impl Into<String>) -> Self {
        let action = action.into();
        Self { number: None, at: None, actor, action, target: None, detail: Value::Null }
    }

    /// Sets the target.
    #[must_use]
    pub fn target(mut self, target: impl ToString) -> Self {
        self.target = Some(target.to_string());
        self
    }

    /// Sets the details.
    #[must_use]
    pub fn detail(mut self, detail: Value) -> Self {
        self.detail = detail;
        self
    }
}

/// A query of the audit log.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct AuditQuery {
    /// Only this target.
    pub target: Option<String>,
    /// Only this actor.
    pub actor: Option<String>,
    /// Only this action: `task.cancel`.
    pub action: Option<String>,
    /// Only entries since this time.
    pub since: Option<Timestamp>,
    /// The page.
    pub page: PageRequest,
}

impl AuditQuery {
    /// Whether entries have to be scanned, most of which may not match. An index finds the entries
    /// of a target or an actor.
    pub(crate) const fn needs_scan(&self) -> bool {
        let has_both = self.target.is_some() && self.actor.is_some();
        has_both || self.action.is_some() || self.since.is_some()
    }

    /// A page, from one entry more than the limit. A scan that ended at `end` continues there,
    /// unless all later entries are too old.
    pub(crate) fn page(
        &self,
        entries: Vec<AuditEntry>,
        end: Option<AuditEntry>,
    ) -> Page<AuditEntry> {
        let page = self.page.of(entries, |entry| entry.number);
        let end = end.filter(|end| self.since.is_none_or(|since| end.at >= Some(since)));
        let after = end.and_then(|end| end.number).map(|number| Cursor(number.to_string()));
        Page { next: page.next.or(after), ..page }
    }
}

/// The action of an entry about a saved workflow, and its name in entries of older versions.
const WORKFLOW_SAVE: [&str; 2] = ["workflow.save", "workflow.keep"];

/// The names of an action in stored entries.
pub(crate) fn names_of(action: &str) -> [&str; 2] {
    if WORKFLOW_SAVE.contains(&action) { WORKFLOW_SAVE } else { [action; 2] }
}

/// The action of an entry about pruned entries.
const PRUNE: &str = "audit.prune";

impl AuditEntry {
    pub(crate) fn workflow_saved(actor: &Actor, number: i64) -> Self {
        Self::new(actor.clone(), WORKFLOW_SAVE[0]).target(number)
    }

    pub(crate) fn requeue(
        actor: &Actor,
        requeue: &Requeue,
        filter: &Filter,
        requeued: Requeued,
    ) -> Self {
        let entry = Self::new(actor.clone(), "tasks.requeue");
        let entry = entry.detail(requeue.detail(filter, requeued));
        match filter.ids.as_deref() {
            Some([only]) => entry.target(only),
            _ => entry,
        }
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
