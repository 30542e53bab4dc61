//! `steadfast db prune`: forgets what has ended long ago.

use std::io::{self, Write};
use std::time::Duration;

use clap::Args;
use indicatif::{ProgressBar, ProgressStyle};
use serde::Serialize;
use serde_json::json;
use steadfast::duration;
use steadfast_store::{AuditEntry, Pruned, Retention, Store, StoreError};

use crate::cli::Common;
use crate::exit::Exit;
use crate::help::{Example, after_help};
use crate::output::{Answer, counted};
use crate::problem::Problem;
use crate::target::{self, StorePlace};

const EXAMPLES: &[Example] = &[
    ("steadfast db prune --dry-run", "how much would a worker forget by itself?"),
    ("steadfast db prune --completed-for 7d --failed-for 90d", "by age"),
    ("steadfast db prune --at-most 100000", "by count, the oldest first"),
    ("steadfast db prune --audit-for 365d", "the audit log, which nobody else forgets"),
];

/// Forget tasks and executions that ended long ago, and old records.
///
/// Without a limit it is what a worker forgets by itself: tasks that completed a week ago or
/// failed a quarter ago, the oldest of more than a million, and records of a week ago. With a
/// limit it is that one alone. Executions of workflows are forgotten as tasks are. A task that has
/// not ended is never forgotten, and the audit log only if it is asked for; what is gone of it, the
/// log says itself. It is done in small pieces, so that nobody waits for it; it can be stopped at
/// any time, and begun again.
#[derive(Debug, Args)]
#[command(after_help = after_help(EXAMPLES, &[]))]
pub(super) struct Prune {
    #[command(flatten)]
    limits: Limits,

    /// Say how much it would be, and forget nothing
    #[arg(long)]
    dry_run: bool,

    /// Show no progress
    #[arg(short, long)]
    quiet: bool,

    #[command(flatten)]
    place: StorePlace,
}

/// How long what is kept.
#[derive(Debug, Args)]
#[command(next_help_heading = "Limits")]
struct Limits {
    /// Completed tasks, by age
    #[arg(long, value_name = "DURATION", value_parser = duration::parse)]
    completed_for: Option<Duration>,

    /// Failed and cancelled tasks, by age
    #[arg(long, value_name = "DURATION", value_parser = duration::parse)]
    failed_for: Option<Duration>,

    /// Ended tasks, by count: the oldest of more are forgotten
    #[arg(long, value_name = "N")]
    at_most: Option<u64>,

    /// The faults of tasks that stay, by the age of the task
    #[arg(long, value_name = "DURATION", value_parser = duration::parse)]
    faults_for: Option<Duration>,

    /// Records of sessions and events, by age
    #[arg(long, value_name = "DURATION", value_parser = duration::parse)]
    records_for: Option<Duration>,

    /// Records of sessions and events, by count of each
    #[arg(long, value_name = "N")]
    records_at_most: Option<u64>,

    /// The audit log, by age
    #[arg(long, value_name = "DURATION", value_parser = duration::parse)]
    audit_for: Option<Duration>,
}

impl Limits {
    fn retention(&self) -> Retention {
        let mut only = Retention::forever();
        only.completed_for = self.completed_for;
        only.failed_for = self.failed_for;
        only.ended_at_most = self.at_most;
        only.faults_for = self.faults_for;
        only.records_for = self.records_for;
        only.records_at_most = self.records_at_most;
        only.audit_for = self.audit_for;
        if only == Retention::forever() { Retention::default() } else { only }
    }
}

impl Prune {
    pub(super) fn run(&self, common: &Common) -> Result<Exit, Problem> {
        let url = self.place.existing()?;
        let forgotten = target::block_on(async {
            let unopened = |error: StoreError| target::unopened(&url, error.into());
            let store = Store::open(&url).await.map_err(unopened)?;
            self.prune(&store).await.map_err(unopened)
        })?;
        common.output().answer(&forgotten)?;
        Ok(Exit::Good)
    }

    async fn prune(&self, store: &Store) -> Result<Forgotten, StoreError> {
        let mut retention = self.limits.retention();
        retention.dry_run = true;
        let wanted = store.prune(&retention).await?;
        if self.dry_run {
            return Ok(Forgotten { dry_run: true, forgotten: wanted });
        }
        retention.dry_run = false;
        let bar = bar(wanted, self.quiet);
        let mut all = Pruned::default();
        loop {
            let piece = store.prune(&retention).await?;
            if piece.is_nothing() {
                break;
            }
            all += piece;
            bar.set_position(all.total());
        }
        bar.finish_and_clear();
        if !all.is_nothing() {
            let entry = AuditEntry::new(target::current_user(), "store.prune");
            store.audit(&entry.detail(json!(all))).await?;
        }
        Ok(Forgotten { dry_run: false, forgotten: all })
    }
}

fn bar(wanted: Pruned, is_quiet: bool) -> ProgressBar {
    let bar = match is_quiet {
        true => ProgressBar::hidden(),
        // It shows itself on a terminal and nowhere else.
        false => ProgressBar::new(wanted.total()),
    };
    let style =
        ProgressStyle::with_template("{bar:30.cyan} {percent:>3}%  {human_pos}  {eta} left");
    match style {
        Ok(style) => bar.with_style(style),
        Err(_) => bar,
    }
}

/// What was forgotten, or would be.
#[derive(Serialize)]
struct Forgotten {
    dry_run: bool,
    #[serde(flatten)]
    forgotten: Pruned,
}

impl Answer for Forgotten {
    fn tell(&self, page: &mut dyn Write) -> io::Result<()> {
        let done = if self.dry_run { "would be forgotten, nothing was" } else { "forgotten" };
        if self.forgotten.is_nothing() {
            return writeln!(page, "nothing is old enough to be forgotten");
        }
        let counts = [
            (self.forgotten.tasks, "task", "tasks"),
            (self.forgotten.executions, "execution", "executions"),
            (self.forgotten.faults, "fault", "faults"),
            (self.forgotten.records, "record", "records"),
            (self.forgotten.audit, "audit entry", "audit entries"),
        ];
        let some = counts.into_iter().filter(|(count, ..)| *count > 0);
        let told: Vec<_> =
            some.map(|(count, one, more)| counted(count as usize, one, more)).collect();
        writeln!(page, "{} {done}", told.join(", "))
    }
}
