//! Audit entries for reads, and their deduplication.
//!
//! An open page reads its task every few seconds. Repeated reads within a while count as one and are
//! recorded once. Reads are tracked per actor, so that a busy reader does not evict the reads of others.

use std::hash::{BuildHasher, RandomState};
use std::num::NonZeroUsize;
use std::time::Duration;

use lru::LruCache;
use serde::Serialize;
use serde_json::Value;
use steadfast_api::ReadAction;
use steadfast_store::{Actor, AuditEntry};
use tokio::time::Instant;

/// Repeated reads within this time are recorded once.
const DEDUP_WINDOW: Duration = Duration::from_secs(10 * 60);
const MAX_READS_PER_ACTOR: NonZeroUsize = NonZeroUsize::MIN.saturating_add(255);
const MAX_ACTORS: NonZeroUsize = NonZeroUsize::MIN.saturating_add(999);
/// Longer filter values are truncated.
const MAX_FILTER_VALUE_BYTES: usize = 255;

pub(super) fn entry(by: &Actor, what: ReadAction<'_>) -> AuditEntry {
    let of = |action: &str| AuditEntry::new(by.clone(), action);
    match what {
        ReadAction::Task(id) => of("task.read").target(id),
        ReadAction::Tasks(filter) => of("tasks.list").detail(sanitized(filter)),
        ReadAction::Execution(id) => of("execution.read").target(id),
        ReadAction::Executions(filter) => of("executions.list").detail(sanitized(filter)),
        ReadAction::Workflow(id) => of("workflow.read").target(id),
        ReadAction::Workflows => of("workflows.list"),
        ReadAction::Audit(filter) => of("audit.read").detail(sanitized(filter)),
        ReadAction::Events(filter) => of("events.read").detail(sanitized(filter)),
        ReadAction::Sessions(filter) => of("sessions.read").detail(sanitized(filter)),
        ReadAction::Stats => of("stats.read"),
        ReadAction::MetricsSummary => of("metrics.read"),
        _ => of("read"),
    }
}

/// A filter with long values truncated and NUL characters removed, which databases reject.
fn sanitized(filter: &impl Serialize) -> Value {
    // Filters consist of names and times, which always serialize.
    let mut value = serde_json::to_value(filter).unwrap_or_default();
    for field in value.as_object_mut().into_iter().flat_map(|fields| fields.values_mut()) {
        if let Value::String(text) = field {
            text.truncate(text.floor_char_boundary(MAX_FILTER_VALUE_BYTES));
            text.retain(|char| char != '\0');
        }
    }
    value
}

pub(super) struct ReadDedup {
    by_actor: LruCache<String, LruCache<u64, Instant>>,
    /// Randomly seeded, so that collisions cannot be forced.
    hasher: RandomState,
}

impl Default for ReadDedup {
    fn default() -> Self {
        Self { by_actor: LruCache::new(MAX_ACTORS), hasher: RandomState::new() }
    }
}

impl ReadDedup {
    pub(super) fn is_new(&mut self, read: &AuditEntry, now: Instant) -> bool {
        let AuditEntry { actor: by, action, target, detail, .. } = read;
        let read = self.hasher.hash_one((&by.origin, action, target, detail.to_string()));
        let reads =
            self.by_actor.get_or_insert_mut_ref(&by.name, || LruCache::new(MAX_READS_PER_ACTOR));
        if reads.get(&read).is_some_and(|recorded| now - *recorded < DEDUP_WINDOW) {
            return false;
        }
        reads.put(read, now);
        true
    }
}

#[cfg(test)]
mod tests {
    use steadfast_api::{EventFilter, TaskFilter};
    use steadfast_store::TaskId;

    use super::*;

    /// K3: every actor and target is recorded, and a repeated read once.
    #[test]
    fn repeated_read_is_recorded_once() {
        let (mut reads, now) = (ReadDedup::default(), Instant::now());
        let (ada, id) = (Actor::new("ada"), TaskId::fresh());
        let (all, events) = (TaskFilter::default(), EventFilter::default());
        let mut is_new = |by: &Actor, what, now| reads.is_new(&entry(by, what), now);
        assert!(is_new(&ada, ReadAction::Task(id), now));
        assert!(!is_new(&ada, ReadAction::Task(id), now + DEDUP_WINDOW / 2));
        assert!(is_new(&Actor::new("bob"), ReadAction::Task(id), now));
        assert!(is_new(&ada, ReadAction::Task(TaskId::fresh()), now));
        let from = Actor { origin: Some("192.0.2.1".to_owned()), ..ada.clone() };
        assert!(is_new(&from, ReadAction::Task(id), now), "another address");
        assert!(is_new(&ada, ReadAction::Tasks(&all), now), "a list");
        assert!(!is_new(&ada, ReadAction::Tasks(&all), now));
        assert!(is_new(&ada, ReadAction::Events(&events), now), "another list");
        assert!(is_new(&ada, ReadAction::Task(id), now + DEDUP_WINDOW));
    }

    /// K4: a busy reader does not affect the deduplication of others.
    #[test]
    fn reads_of_one_actor_do_not_evict_others() {
        let (mut reads, now) = (ReadDedup::default(), Instant::now());
        let (bobs, id) = (Actor::new("bob"), TaskId::fresh());
        assert!(reads.is_new(&entry(&bobs, ReadAction::Task(id)), now));
        for _ in 0..10_000 {
            reads.is_new(&entry(&Actor::new("eve"), ReadAction::Task(TaskId::fresh())), now);
        }
        assert!(!reads.is_new(&entry(&bobs, ReadAction::Task(id)), now));
    }

    /// K4: a recorded filter is limited in size and valid for any database.
    #[test]
    fn oversized_filter_is_truncated() {
        let operation = Some(format!("a\0{}", "é".repeat(10_000)));
        let oversized = EventFilter { operation, ..EventFilter::default() };
        let entry = entry(&Actor::new("eve"), ReadAction::Events(&oversized));
        let value = entry.detail["operation"].as_str().unwrap();
        assert!(value.starts_with("aé") && !value.contains('\0'), "{value}");
        assert!(value.len() <= MAX_FILTER_VALUE_BYTES);
    }
}
