//! `steadfast tasks expire`: expiry times (D10).

use std::time::Duration;

use jiff::{Timestamp, Unit};
use steadfast::duration;
use steadfast_api::TaskView;
use steadfast_store::When;

use super::batch::TaskIds;
use crate::commands::prelude::*;

const EXAMPLES: &[Example] = &[
    ("steadfast tasks expire 01985c2e-6a5c-7b1e-9f0a-3c5d7e9f1a2b --in 2h", "expire in two hours"),
    ("steadfast tasks expire 01985c2e-6a5c-7b1e-9f0a-3c5d7e9f1a2b --never", "remove the expiry"),
];

/// Set when tasks expire.
///
/// No attempt starts after a task has expired; it fails with the reason out_of_time, like
/// a task that exceeds max_duration.
#[derive(Debug, Args)]
#[command(after_help = after_help(EXAMPLES, &[]))]
pub(super) struct Expire {
    #[command(flatten)]
    when: NewExpiry,

    #[command(flatten)]
    tasks: TaskIds,
}

#[derive(Debug, Args)]
#[group(required = true, multiple = false)]
struct NewExpiry {
    /// Expire at this time, such as 2026-07-01T08:00:00Z
    #[arg(long, value_name = "TIME", value_parser = time)]
    at: Option<Timestamp>,

    /// Expire after this duration, such as 2h
    #[arg(long = "in", value_name = "DURATION", value_parser = duration::parse)]
    after: Option<Duration>,

    /// Never expire
    #[arg(long)]
    never: bool,
}

fn time(text: &str) -> Result<Timestamp, String> {
    text.parse().map_err(|_: jiff::Error| {
        "must be a timestamp such as 2026-07-01T08:00:00Z; for a duration use --in".to_owned()
    })
}

fn new_expiry(task: &TaskView) -> String {
    match task.expires_at {
        Some(time) => {
            format!("{} expires at {}", task.id, time.round(Unit::Second).unwrap_or(time))
        }
        None => format!("{} never expires", task.id),
    }
}

impl Expire {
    pub(super) fn run(&self, common: &Common) -> Result<Exit, CliError> {
        let NewExpiry { at, after, never } = self.when;
        let when = at.map(When::At).or(after.map(When::After));
        debug_assert!(never != when.is_some(), "clap requires exactly one of them");
        self.tasks.apply(new_expiry, common, async |api, id| api.set_expiry(id, when).await)
    }
}
