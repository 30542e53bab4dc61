//! Task metrics, through the `metrics` facade; the program chooses the exporter.
//!
//! They are recorded where tasks are submitted, claimed and settled, so that local workers and
//! workers over HTTP count the same. They cover this process; counts of the whole store come from
//! the store.
//!
//! | name | kind | labels |
//! |---|---|---|
//! | `steadfast_tasks_submitted_total` | counter | `queue` |
//! | `steadfast_tasks_claimed_total` | counter | `queue` |
//! | `steadfast_task_lateness_seconds` | histogram: claimed after it was due | `queue` |
//! | `steadfast_task_attempts_total` | counter | `queue`, `outcome`: `success` or `failure`, `class` of a failure |
//! | `steadfast_task_retry_delay_seconds` | histogram | `queue` |
//! | `steadfast_tasks_postponed_total` | counter: postponed without an attempt | `queue` |
//! | `steadfast_tasks_ended_total` | counter | `queue`, `outcome`: `completed` or `failed` |
//! | `steadfast_task_duration_seconds` | histogram: from when it was first due, or its last fresh start, to its end | `queue`, `outcome` |
//! | `steadfast_task_give_ups_total` | counter | `queue`, `reason` |
//! | `steadfast_leases_lost_total` | counter | `queue` |
//! | `steadfast_records_dropped_total` | counter: sessions and events that were not stored | |

use std::collections::BTreeMap;

use jiff::Timestamp;
use metrics::{counter, histogram};

use crate::queue::claim::{Claimed, Claims};
use crate::queue::settle::Verdict;

pub(crate) fn submitted<'q>(queues: impl Iterator<Item = &'q str>) {
    for (queue, tasks) in counted(queues) {
        counter!("steadfast_tasks_submitted_total", "queue" => queue.to_owned()).increment(tasks);
    }
}

pub(crate) fn claimed(claims: &Claims) {
    let queues = claims.tasks.iter().map(|task| task.queue.as_str());
    for (queue, tasks) in counted(queues) {
        counter!("steadfast_tasks_claimed_total", "queue" => queue.to_owned()).increment(tasks);
    }
    for task in &claims.tasks {
        let due = task.scheduled_at.max(task.submitted_at);
        histogram!("steadfast_task_lateness_seconds", "queue" => task.queue.clone())
            .record(seconds(due, claims.now));
    }
}

pub(crate) fn dropped(records: u64) {
    counter!("steadfast_records_dropped_total").increment(records);
}

impl Claimed {
    pub(crate) fn measure(&self, verdict: &Verdict, now: Timestamp) {
        match verdict {
            Verdict::Completed { .. } => {
                self.attempted("success", "");
                self.ended("completed", now);
            }
            Verdict::Retry { fault, delay, .. } => {
                self.attempted("failure", fault.class.name());
                histogram!("steadfast_task_retry_delay_seconds", "queue" => self.queue.clone())
                    .record(delay.as_secs_f64());
            }
            Verdict::Failed { fault, reason, .. } => {
                if let Some(fault) = fault {
                    self.attempted("failure", fault.class.name());
                }
                let queue = self.queue.clone();
                counter!("steadfast_task_give_ups_total", "queue" => queue, "reason" => reason.name())
                    .increment(1);
                self.ended("failed", now);
            }
            Verdict::Postponed { .. } => {
                counter!("steadfast_tasks_postponed_total", "queue" => self.queue.clone())
                    .increment(1);
            }
            Verdict::Released => {}
        }
    }

    /// Counts a lost lease.
    pub fn count_lost_lease(&self) {
        counter!("steadfast_leases_lost_total", "queue" => self.queue.clone()).increment(1);
    }

    fn attempted(&self, outcome: &'static str, class: &'static str) {
        let queue = self.queue.clone();
        counter!("steadfast_task_attempts_total", "queue" => queue, "outcome" => outcome, "class" => class)
            .increment(1);
    }

    fn ended(&self, outcome: &'static str, now: Timestamp) {
        let queue = self.queue.clone();
        counter!("steadfast_tasks_ended_total", "queue" => queue, "outcome" => outcome)
            .increment(1);
        let queue = self.queue.clone();
        histogram!("steadfast_task_duration_seconds", "queue" => queue, "outcome" => outcome)
            .record(seconds(self.counted_from, now));
    }
}

/// The number of each name.
fn counted<'q>(names: impl Iterator<Item = &'q str>) -> BTreeMap<&'q str, u64> {
    let mut counts = BTreeMap::new();
    for name in names {
        *counts.entry(name).or_default() += 1;
    }
    counts
}

/// The seconds between two times; 0 if a clock was set back.
fn seconds(from: Timestamp, to: Timestamp) -> f64 {
    to.duration_since(from).as_secs_f64().max(0.0)
}
