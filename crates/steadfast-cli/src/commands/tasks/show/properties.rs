//! What a task is, line by line; what is not there is left out.

use std::io::{self, Write};

use jiff::{Timestamp, Unit};
use steadfast_api::TaskView;
use steadfast_store::{HeldLease, Status};

use super::super::status;
use crate::output::table::{StatusColor, Table};
use crate::output::{counted, relative_time, width};

/// An id is for copying, so it is never broken.
const MIN_COLUMNS: u16 = 53;

pub(super) fn write(page: &mut dyn Write, task: &TaskView, now: Timestamp) -> io::Result<()> {
    let mut table = Table::bare();
    table.entry("task", task.id.to_string());
    match status::color(task.status) {
        Some(color) => table.colored_entry("status", task.status.name(), color),
        None => table.entry("status", task.status.to_string()),
    }
    if let Some(reason) = task.reason {
        table.colored_entry("reason", reason.name(), StatusColor::Error);
    }
    for (name, fact) in properties(task, now) {
        if let Some(fact) = fact {
            table.entry(name, fact);
        }
    }
    table.write(page, width::of_stdout().map(|width| width.max(MIN_COLUMNS)))
}

fn properties(task: &TaskView, now: Timestamp) -> [(&'static str, Option<String>); 14] {
    let time = |time: Timestamp| both(time, now);
    let waits = task.rate_limit_waits as usize;
    [
        ("kind", Some(task.kind.clone())),
        ("queue", Some(task.queue.clone())),
        ("category", task.category.clone()),
        ("priority", (task.priority != 0).then(|| task.priority.to_string())),
        ("policy", task.policy.as_ref().map(|own| own.id().unwrap_or("its own").to_owned())),
        ("problem", task.problem.clone()),
        ("attempts", Some(status::attempts(task, " of "))),
        ("asked to wait", (waits > 0).then(|| counted(waits, "time", "times"))),
        ("submitted", Some(time(task.submitted_at))),
        ("due", (!task.status.is_ended()).then(|| time(task.scheduled_at))),
        ("ended", task.ended_at.map(time)),
        ("expires", task.expires_at.filter(|_| !task.status.is_ended()).map(time)),
        ("key", task.idempotency_key.clone()),
        ("correlation id", task.correlation_id.clone()),
    ]
    .map(|(name, fact)| match (name, task.status) {
        ("due", Status::Running) => ("worker", task.lease.as_ref().map(|lease| held(lease, now))),
        _ => (name, fact),
    })
}

fn held(lease: &HeldLease, now: Timestamp) -> String {
    let until = relative_time::from_now(lease.until, now);
    format!("{}, lease {} ends {until}", lease.owner, lease.version)
}

/// How far away, and the time itself to look for elsewhere.
pub(super) fn both(time: Timestamp, now: Timestamp) -> String {
    let clock = time.round(Unit::Second).unwrap_or(time);
    format!("{}, {clock}", relative_time::from_now(time, now))
}
