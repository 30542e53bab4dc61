//! Schema and workload checks: leases, due tasks, paused queues.

use std::time::Duration;

use steadfast_store::health::{Due, Health, Lapsed, Schema, Work};

use super::finding::{Finding, Level, Verdict};
use super::units::{HOUR, MINUTE, long};
use crate::output::counted;

/// Workers reclaim expired leases every few seconds: after this time, none does.
const MAX_EXPIRED_AGE: Duration = MINUTE.saturating_mul(2);
/// An idle worker claims a due task at once: after this time, none is available.
const MAX_DUE_AGE: Duration = MINUTE.saturating_mul(5);

/// `has_clients`: whether other clients are connected, which may be workers.
pub(super) fn check(health: &Health, has_clients: bool) -> Vec<Finding> {
    let work = &health.work;
    vec![
        Finding::of("schema", &health.schema, schema),
        Finding::of("leases", work, |work| leases(work, has_clients)),
        Finding::of("due tasks", work, |work| due(work, has_clients)),
        Finding::of("queues", work, |work| queues(&work.paused)),
    ]
}

fn schema(schema: &Schema) -> Verdict {
    let Schema { found, known } = *schema;
    let verdict = match found {
        0 => Verdict::warning("no schema yet")
            .advise("opening the store creates it; to do only that:", ["steadfast db migrate"]),
        _ if found == known => Verdict::ok(format!("version {found}")),
        _ if found < known => {
            let found = format!("version {found} is older than this program's {known}");
            Verdict::warning(found).advise(
                "opening the store with this program migrates it; to do only that:",
                ["steadfast db migrate"],
            )
        }
        _ => {
            let found = format!("version {found} is newer than this program's {known}");
            Verdict::problem(found).say("upgrade this program to the version of the workers")
        }
    };
    verdict.fact("found", found).fact("known", known)
}

fn leases(work: &Work, has_clients: bool) -> Verdict {
    let Some(Lapsed { leases, tasks, longest, workers }) = &work.lapsed else {
        return Verdict::ok(format!("{} active, none expired", work.alive))
            .fact("alive", work.alive);
    };
    let named =
        if workers.is_empty() { String::new() } else { format!(" of {}", workers.join(", ")) };
    let count = usize::try_from(*leases).unwrap_or(usize::MAX);
    let found = format!(
        "{}{named} expired, holding {}, the oldest {} ago",
        counted(count, "lease", "leases"),
        counted(usize::try_from(*tasks).unwrap_or(usize::MAX), "task", "tasks"),
        long(*longest)
    );
    let level = Level::of(*longest, MAX_EXPIRED_AGE, HOUR);
    let verdict = Verdict::new(level, found)
        .fact("alive", work.alive)
        .fact("lapsed", *leases)
        .fact("tasks", *tasks)
        .fact("longest_seconds", longest.as_secs());
    verdict.say(match work.alive > 0 || has_clients {
        true => {
            "workers are running but do not reclaim them: check that one has maintenance enabled, and \
             its log for store errors"
        }
        false => "no worker reclaims them: start a worker on this store",
    })
}

fn due(work: &Work, has_clients: bool) -> Verdict {
    let Some(Due { queue, since }) = &work.due else {
        return Verdict::ok("none waiting");
    };
    let found = format!("the oldest task of queue {queue} has been due for {}", long(*since));
    let verdict = |level, found: String| {
        Verdict::new(level, found).fact("queue", queue.as_str()).fact("seconds", since.as_secs())
    };
    if *since < MAX_DUE_AGE {
        return verdict(Level::Ok, found);
    }
    if work.alive > 0 {
        return verdict(Level::Note, format!("{found}: workers are falling behind")).say(
            "raise their concurrency, or start more workers; check that one serves this queue and the \
             kinds of its tasks",
        );
    }
    let found = format!("{found}, and no worker claims it");
    let verdict = verdict(Level::Warning, found);
    match has_clients {
        true => verdict.say(format!(
            "other clients are connected, but none runs a task: check that a worker serves queue {queue} \
             and the kinds of its tasks"
        )),
        false => verdict.say("start a worker on this store"),
    }
}

fn queues(paused: &[String]) -> Verdict {
    let Some(first) = paused.first() else {
        return Verdict::ok("none paused with due tasks");
    };
    let found = format!("paused with due tasks: {}", paused.join(", "));
    Verdict::note(found)
        .fact("paused", paused.to_vec())
        .advise("to resume:", [format!("steadfast queue resume {first}")])
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lapsed(longest: Duration) -> Work {
        let workers = vec!["mill-7".to_owned()];
        Work { lapsed: Some(Lapsed { leases: 1, tasks: 2, longest, workers }), ..Work::default() }
    }

    /// D7: an expired lease is normal for a moment, and a problem after that.
    #[test]
    fn expired_lease_level_rises_with_age() {
        assert_eq!(leases(&lapsed(MINUTE), false).level, Level::Ok);
        let stuck = leases(&lapsed(MINUTE * 10), false);
        assert_eq!(stuck.level, Level::Warning);
        assert_eq!(
            stuck.found,
            "1 lease of mill-7 expired, holding 2 tasks, the oldest 10 min ago"
        );
        assert!(stuck.next[0].say.contains("start a worker"));
        assert_eq!(leases(&lapsed(HOUR), false).level, Level::Problem);
        let others = leases(&lapsed(HOUR), true);
        assert!(others.next[0].say.contains("workers are running"), "{others:?}");
    }

    /// D11: a waiting task means something else with and without workers.
    #[test]
    fn due_task_level_depends_on_workers() {
        let waiting = |since, alive| Work {
            due: Some(Due { queue: "mail".to_owned(), since }),
            alive,
            ..Work::default()
        };
        assert_eq!(due(&waiting(MINUTE, 0), false).level, Level::Ok);
        assert_eq!(due(&waiting(HOUR, 3), true).level, Level::Note);
        let alone = due(&waiting(HOUR, 0), false);
        assert_eq!(alone.level, Level::Warning);
        assert_eq!(
            alone.found,
            "the oldest task of queue mail has been due for 1 h, and no worker claims it"
        );
    }

    /// D14: an older schema can be migrated here, a newer one cannot.
    #[test]
    fn schema_level_depends_on_direction() {
        let level = |found| schema(&Schema { found, known: 2 }).level;
        assert_eq!(
            [0, 1, 2, 3].map(level),
            [Level::Warning, Level::Warning, Level::Ok, Level::Problem]
        );
    }

    #[test]
    fn paused_queue_with_tasks_is_a_note() {
        let paused = queues(&["mail".to_owned()]);
        assert_eq!(
            (paused.level, &*paused.next[0].run[0]),
            (Level::Note, "steadfast queue resume mail")
        );
        assert_eq!(queues(&[]).level, Level::Ok);
    }
}
