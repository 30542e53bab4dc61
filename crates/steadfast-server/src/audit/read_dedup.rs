//! Who looked at what not everybody should know.
//!
//! A page that is open reads its task every few seconds. That is one look, however long it
//! lasts, so whoever reads the same again within a while is not noted again. Everybody has looks
//! of their own, so that nobody is noted more often because somebody else looks at much.

use std::hash::{BuildHasher, RandomState};
use std::num::NonZeroUsize;
use std::time::Duration;

use lru::LruCache;
use serde::Serialize;
use serde_json::Value;
use steadfast_api::Seen;
use steadfast_store::{Actor, AuditEntry};
use tokio::time::Instant;

/// For how long a read is the same look.
const A_LOOK: Duration = Duration::from_secs(10 * 60);
/// So many looks of one name are remembered.
const LOOKS: NonZeroUsize = NonZeroUsize::MIN.saturating_add(255);
/// Of so many names.
const NAMES: NonZeroUsize = NonZeroUsize::MIN.saturating_add(999);
/// The longest text of a filter that is kept whole.
const LONGEST: usize = 255;

/// The entry for what was read.
pub(super) fn entry(by: &Actor, what: Seen<'_>) -> AuditEntry {
    let of = |action: &str| AuditEntry::new(by.clone(), action);
    match what {
        Seen::Task(id) => of("task.read").target(id),
        Seen::Tasks(filter) => of("tasks.list").detail(kept(filter)),
        Seen::Execution(id) => of("execution.read").target(id),
        Seen::Executions(filter) => of("executions.list").detail(kept(filter)),
        Seen::Workflow(id) => of("workflow.read").target(id),
        Seen::Workflows => of("workflows.list"),
        Seen::Audit(filter) => of("audit.read").detail(kept(filter)),
        Seen::Events(filter) => of("events.read").detail(kept(filter)),
        Seen::Sessions(filter) => of("sessions.read").detail(kept(filter)),
        Seen::Stats => of("stats.read"),
        Seen::MetricsSummary => of("metrics.read"),
        _ => of("read"),
    }
}

/// A filter as it is written down. Whoever asks for something absurd does not choose how long
/// the log gets, nor whether a database can keep it.
fn kept(filter: &impl Serialize) -> Value {
    // It is made of names and times, all of which JSON has room for.
    let mut value = serde_json::to_value(filter).unwrap_or_default();
    for field in value.as_object_mut().into_iter().flat_map(|fields| fields.values_mut()) {
        if let Value::String(text) = field {
            text.truncate(text.floor_char_boundary(LONGEST));
            text.retain(|letter| letter != '\0');
        }
    }
    value
}

/// Looks that were noted.
pub(super) struct Reads {
    of: LruCache<String, LruCache<u64, Instant>>,
    /// Looks are told apart by a number that nobody can foresee.
    hasher: RandomState,
}

impl Default for Reads {
    fn default() -> Self {
        Self { of: LruCache::new(NAMES), hasher: RandomState::new() }
    }
}

impl Reads {
    /// Whether this read is a look of its own.
    pub(super) fn is_new(&mut self, read: &AuditEntry, now: Instant) -> bool {
        let AuditEntry { by, action, target, detail, .. } = read;
        let look = self.hasher.hash_one((&by.from, action, target, detail.to_string()));
        let looks = self.of.get_or_insert_mut_ref(&by.actor, || LruCache::new(LOOKS));
        if looks.get(&look).is_some_and(|noted| now - *noted < A_LOOK) {
            return false;
        }
        looks.put(look, now);
        true
    }
}

#[cfg(test)]
mod tests {
    use steadfast_api::{EventFilter, TaskFilter};
    use steadfast_store::TaskId;

    use super::*;

    /// K3: every reader and every task is noted, and a look once.
    #[test]
    fn a_look_is_noted_once() {
        let (mut reads, now) = (Reads::default(), Instant::now());
        let (ada, id) = (Actor::new("ada"), TaskId::fresh());
        let (all, events) = (TaskFilter::default(), EventFilter::default());
        let mut is_new = |by: &Actor, what, now| reads.is_new(&entry(by, what), now);
        assert!(is_new(&ada, Seen::Task(id), now));
        assert!(!is_new(&ada, Seen::Task(id), now + A_LOOK / 2));
        assert!(is_new(&Actor::new("bob"), Seen::Task(id), now));
        assert!(is_new(&ada, Seen::Task(TaskId::fresh()), now));
        let from = Actor { from: Some("192.0.2.1".to_owned()), ..ada.clone() };
        assert!(is_new(&from, Seen::Task(id), now), "from elsewhere");
        assert!(is_new(&ada, Seen::Tasks(&all), now), "a list");
        assert!(!is_new(&ada, Seen::Tasks(&all), now));
        assert!(is_new(&ada, Seen::Events(&events), now), "another list");
        assert!(is_new(&ada, Seen::Task(id), now + A_LOOK));
    }

    /// K4: who looks at much has nobody else noted more often.
    #[test]
    fn looks_of_others_are_not_forgotten() {
        let (mut reads, now) = (Reads::default(), Instant::now());
        let (bobs, id) = (Actor::new("bob"), TaskId::fresh());
        assert!(reads.is_new(&entry(&bobs, Seen::Task(id)), now));
        for _ in 0..10_000 {
            reads.is_new(&entry(&Actor::new("eve"), Seen::Task(TaskId::fresh())), now);
        }
        assert!(!reads.is_new(&entry(&bobs, Seen::Task(id)), now));
    }

    /// K4: what is written of a filter is bounded, and fit for any database.
    #[test]
    fn an_absurd_filter_is_cut() {
        let operation = Some(format!("a\0{}", "é".repeat(10_000)));
        let absurd = EventFilter { operation, ..EventFilter::default() };
        let entry = entry(&Actor::new("eve"), Seen::Events(&absurd));
        let told = entry.detail["operation"].as_str().unwrap();
        assert!(told.starts_with("aé") && told.len() <= LONGEST && !told.contains('\0'), "{told}");
    }
}
