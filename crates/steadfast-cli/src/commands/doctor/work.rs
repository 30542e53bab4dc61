//! The schema, and whether anybody does the work.

use std::time::Duration;

use steadfast_store::health::{Due, Health, Lapsed, Schema, Work};

use super::finding::{Finding, Mark};
use super::units::{HOUR, MINUTE, long};
use crate::output::counted;

/// Workers look for lost leases every few seconds: after this, none does.
const TAKEN_OVER: Duration = MINUTE.saturating_mul(2);
/// A due task starts at once on an idle worker: after this, there is none.
const TAKEN: Duration = MINUTE.saturating_mul(5);

/// `somebody`: whether others are connected who may be workers.
pub(super) fn judged(health: &Health, somebody: bool) -> Vec<Finding> {
    let work = &health.work;
    vec![
        Finding::of("schema", &health.schema, schema),
        Finding::of("leases", work, |work| leases(work, somebody)),
        Finding::of("due tasks", work, |work| due(work, somebody)),
        Finding::of("queues", work, |work| queues(&work.paused)),
    ]
}

fn schema(schema: &Schema) -> Finding {
    let Schema { found, known } = *schema;
    let finding = match found {
        0 => Finding::warning("schema", "there is no store in it yet")
            .advise("whoever opens it first makes one; to do only that:", ["steadfast db migrate"]),
        _ if found == known => Finding::ok("schema", format!("version {found}")),
        _ if found < known => {
            let told = format!("version {found}, and this program knows {known}");
            Finding::warning("schema", told).advise(
                "whoever opens it with this program brings it up to date; to do only that:",
                ["steadfast db migrate"],
            )
        }
        _ => {
            let told = format!("version {found} is from the future: this program knows {known}");
            Finding::problem("schema", told)
                .say("upgrade this program to the version that its workers have")
        }
    };
    finding.fact("found", found).fact("known", known)
}

fn leases(work: &Work, somebody: bool) -> Finding {
    let Some(Lapsed { leases, tasks, longest, workers }) = &work.lapsed else {
        return Finding::ok("leases", format!("{} alive, none is over", work.alive))
            .fact("alive", work.alive);
    };
    let named =
        if workers.is_empty() { String::new() } else { format!(" of {}", workers.join(", ")) };
    let count = usize::try_from(*leases).unwrap_or(usize::MAX);
    let told = format!(
        "{}{named} with {} over, the first for {}",
        counted(count, "lease", "leases"),
        counted(usize::try_from(*tasks).unwrap_or(usize::MAX), "task is", "tasks are"),
        long(*longest)
    );
    let mark = match *longest {
        longest if longest < TAKEN_OVER => Mark::Ok,
        longest if longest < HOUR => Mark::Warning,
        _ => Mark::Problem,
    };
    let finding = Finding::new("leases", mark, told)
        .fact("alive", work.alive)
        .fact("lapsed", *leases)
        .fact("tasks", *tasks)
        .fact("longest_seconds", longest.as_secs());
    match mark {
        Mark::Ok => finding,
        _ if work.alive > 0 || somebody => finding.say(
            "workers are there and do not take them over: see that one of them has maintenance \
             on, and look into its log for errors of the store",
        ),
        _ => finding.say("nobody is there to take them over: start a worker on this store"),
    }
}

fn due(work: &Work, somebody: bool) -> Finding {
    let Some(Due { queue, since }) = &work.due else {
        return Finding::ok("due tasks", "none waits");
    };
    let told = format!("the head of queue {queue} has been due for {}", long(*since));
    let finding = |mark, told: String| {
        Finding::new("due tasks", mark, told)
            .fact("queue", queue.as_str())
            .fact("seconds", since.as_secs())
    };
    if *since < TAKEN {
        return finding(Mark::Ok, told);
    }
    if work.alive > 0 {
        return finding(Mark::Note, format!("{told}: workers are behind")).say(
            "let them do more at once, or start more of them; see that one of them takes from \
             this queue and knows the kinds of its tasks",
        );
    }
    let told = format!("{told}, and nobody takes it");
    let finding = finding(Mark::Warning, told);
    match somebody {
        true => finding.say(format!(
            "somebody has the store open, but no task in hand: see that a worker takes from queue \
             {queue} and knows the kinds of its tasks"
        )),
        false => finding.say("start a worker on this store"),
    }
}

fn queues(paused: &[String]) -> Finding {
    let Some(first) = paused.first() else {
        return Finding::ok("queues", "none is paused with tasks due");
    };
    let told = format!("paused, with tasks due: {}", paused.join(", "));
    Finding::note("queues", told)
        .fact("paused", paused.to_vec())
        .advise("if that is not meant any more:", [format!("steadfast queue resume {first}")])
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lapsed(longest: Duration) -> Work {
        let workers = vec!["mill-7".to_owned()];
        Work { lapsed: Some(Lapsed { leases: 1, tasks: 2, longest, workers }), ..Work::default() }
    }

    /// D7: a lease that is over is nobody's business for a moment, and somebody's after that.
    #[test]
    fn a_lease_that_nobody_takes_over_gets_worse_with_time() {
        assert_eq!(leases(&lapsed(MINUTE), false).mark, Mark::Ok);
        let stuck = leases(&lapsed(MINUTE * 10), false);
        assert_eq!(stuck.mark, Mark::Warning);
        assert_eq!(stuck.found, "1 lease of mill-7 with 2 tasks are over, the first for 10 min");
        assert!(stuck.next[0].say.contains("start a worker"));
        assert_eq!(leases(&lapsed(HOUR), false).mark, Mark::Problem);
        let others = leases(&lapsed(HOUR), true);
        assert!(others.next[0].say.contains("workers are there"), "{others:?}");
    }

    /// D11: whether anybody is there decides what a task that waits means.
    #[test]
    fn a_task_that_waits_is_judged_by_who_is_there() {
        let waiting = |since, alive| Work {
            due: Some(Due { queue: "mail".to_owned(), since }),
            alive,
            ..Work::default()
        };
        assert_eq!(due(&waiting(MINUTE, 0), false).mark, Mark::Ok);
        assert_eq!(due(&waiting(HOUR, 3), true).mark, Mark::Note);
        let alone = due(&waiting(HOUR, 0), false);
        assert_eq!(alone.mark, Mark::Warning);
        assert_eq!(alone.found, "the head of queue mail has been due for 1 h, and nobody takes it");
    }

    /// D14: what is older can be mended here, what is newer cannot.
    #[test]
    fn a_schema_is_judged_by_which_way_it_differs() {
        let mark = |found| schema(&Schema { found, known: 2 }).mark;
        assert_eq!([0, 1, 2, 3].map(mark), [Mark::Warning, Mark::Warning, Mark::Ok, Mark::Problem]);
    }

    #[test]
    fn a_paused_queue_with_tasks_is_noted() {
        let paused = queues(&["mail".to_owned()]);
        assert_eq!(
            (paused.mark, &*paused.next[0].run[0]),
            (Mark::Note, "steadfast queue resume mail")
        );
        assert_eq!(queues(&[]).mark, Mark::Ok);
    }
}
