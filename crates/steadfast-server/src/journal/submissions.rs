//! Who submitted tasks.
//!
//! A few are noted each, under their id. Somebody who submits thousands a second gets a line for
//! the rest of them, with their number and with the first and the last id: ids are in the order
//! of their making, so the tasks between them can be found.

use std::collections::HashMap;

use serde_json::{Value, json};
use steadfast_api::Submitted;
use steadfast_store::{AuditEntry, By, TaskId};

const ACTION: &str = "task.submit";
/// So many requests of one caller are noted each, until they are written.
const EACH: u32 = 20;
/// So many callers are told apart.
const CALLERS: usize = 1000;

/// What was submitted since it was last written.
#[derive(Default)]
pub(super) struct Submissions(HashMap<By, Many>);

#[derive(Default)]
struct Many {
    each: u32,
    requests: u64,
    tasks: usize,
    first: Option<TaskId>,
    last: Option<TaskId>,
}

impl Submissions {
    /// Notes a request: its entry, or none if it is gathered with others.
    pub(super) fn add(&mut self, by: &By, taken: &[Submitted]) -> Option<AuditEntry> {
        if taken.is_empty() {
            return None;
        }
        if self.0.len() >= CALLERS && !self.0.contains_key(by) {
            return Some(entry(by, taken));
        }
        let many = self.0.entry(by.clone()).or_default();
        if many.each < EACH {
            many.each += 1;
            return Some(entry(by, taken));
        }
        many.requests += 1;
        many.tasks += taken.len();
        many.first = many.first.or_else(|| taken.first().map(|it| it.id));
        many.last = taken.last().map(|it| it.id);
        None
    }

    /// The lines for what was gathered.
    pub(super) fn take(&mut self) -> Vec<AuditEntry> {
        let all = std::mem::take(&mut self.0).into_iter();
        let gathered = all.filter(|(_, many)| many.requests > 0);
        gathered.map(|(by, many)| AuditEntry::new(by, ACTION).detail(many.detail())).collect()
    }
}

impl Many {
    fn detail(&self) -> Value {
        let Self { requests, tasks, first, last, .. } = self;
        json!({ "requests": requests, "tasks": tasks, "first": first, "last": last })
    }
}

fn entry(by: &By, taken: &[Submitted]) -> AuditEntry {
    let entry = AuditEntry::new(by.clone(), ACTION);
    match taken {
        [only] => entry.target(only.id).detail(json!({ "existed": only.existed })),
        [first, .., last] => {
            entry.detail(json!({ "tasks": taken.len(), "first": first.id, "last": last.id }))
        }
        [] => entry,
    }
}
