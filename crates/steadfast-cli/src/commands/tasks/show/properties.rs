//! The properties of a task, one per line; absent ones are omitted.

use jiff::{Timestamp, Unit};
use steadfast_api::TaskView;
use steadfast_store::{HeldLease, Status};

use super::super::status;
use crate::commands::prelude::*;
use crate::output::table::StatusColor;
use crate::output::{relative_time, width};

/// Wide enough for an id, which is never wrapped.
const MIN_COLUMNS: u16 = 53;

pub(super) fn write(page: &mut dyn Write, task: &TaskView, now: Timestamp) -> io::Result<()> {
    let mut table = Table::bare();
    table.entry("task", task.id.to_string());
    match status::color(task.status) {
        Some(color) => table.colored_entry("status", task.status.name(), color),
        None => table.entry("status", task.status.to_string()),
    }
    if let Some(reason) = status::reason(task) {
        table.colored_entry("reason", reason, StatusColor::Error);
    }
    for (name, value) in properties(task, now) {
        if let Some(value) = value {
            table.entry(name, value);
        }
    }
    table.write_within(page, width::of_stdout().map(|width| width.max(MIN_COLUMNS)))
}

fn properties(task: &TaskView, now: Timestamp) -> [(&'static str, Option<String>); 14] {
    let time = |time: Timestamp| relative_and_absolute(time, now);
    let waits = task.rate_limit_waits as usize;
    [
        ("kind", Some(task.kind.clone())),
        ("queue", Some(task.queue.clone())),
        ("category", task.category.clone()),
        ("priority", (task.priority != 0).then(|| task.priority.to_string())),
        ("policy", task.policy.as_ref().map(|own| own.id().unwrap_or("custom").to_owned())),
        ("problem", task.problem.clone()),
        ("attempts", Some(status::attempts(task, " of "))),
        ("rate limited", (waits > 0).then(|| counted(waits, "time", "times"))),
        ("submitted", Some(time(task.submitted_at))),
        ("due", (!task.status.is_ended()).then(|| time(task.scheduled_at))),
        ("ended", task.ended_at.map(time)),
        ("expires", task.expires_at.filter(|_| !task.status.is_ended()).map(time)),
        ("key", task.idempotency_key.clone()),
        ("correlation id", task.correlation_id.clone()),
    ]
    .map(|(name, value)| match (name, task.status) {
        ("due", Status::Running) => ("worker", task.lease.as_ref().map(|lease| held(lease, now))),
        _ => (name, value),
    })
}

fn held(lease: &HeldLease, now: Timestamp) -> String {
    let until = relative_time::from_now(lease.until, now);
    format!("{}, fencing token {}, lease expires {until}", lease.owner, lease.fencing_token)
}

pub(super) fn relative_and_absolute(time: Timestamp, now: Timestamp) -> String {
    let clock = time.round(Unit::Second).unwrap_or(time);
    format!("{}, {clock}", relative_time::from_now(time, now))
}
