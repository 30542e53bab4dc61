//! `steadfast db prune`: deletion of old data.

use std::time::Duration;

use indicatif::{ProgressBar, ProgressStyle};
use serde_json::json;
use steadfast::duration;
use steadfast_store::{AuditEntry, Pruned, Retention, Store, StoreError};

use crate::commands::prelude::*;
use crate::target::StoreTarget;

const EXAMPLES: &[Example] = &[
    ("steadfast db prune --dry-run", "preview"),
    ("steadfast db prune --completed-older-than 7d --failed-older-than 90d", "by age"),
    ("steadfast db prune --keep-tasks 100000", "by count, oldest first"),
    ("steadfast db prune --audit-older-than 365d", "the audit log"),
];

/// Delete finished tasks, executions and records that are past their retention period.
///
/// Without limits it applies the default retention of workers: it deletes tasks that completed more
/// than 7 days ago or failed more than 90 days ago, the oldest finished tasks beyond one million,
/// and recorded sessions and events older than 7 days. If any limits are given, only those apply.
/// Workflow executions are pruned like tasks. Unfinished tasks are never deleted; audit entries only
/// with --audit-older-than, which is recorded in the audit log. Deletes in small batches; can be
/// interrupted and repeated. A session is one operation with all its attempts.
#[derive(Debug, Args)]
#[command(after_help = after_help(EXAMPLES, &[]))]
pub(super) struct Prune {
    #[command(flatten)]
    limits: Limits,

    /// Show what would be deleted, and delete nothing
    #[arg(long)]
    dry_run: bool,

    /// Hide the progress bar
    #[arg(short, long)]
    quiet: bool,

    #[command(flatten)]
    target: StoreTarget,
}

/// Retention limits.
#[derive(Debug, Args)]
#[command(next_help_heading = "Limits")]
struct Limits {
    /// Delete completed tasks older than this
    #[arg(long = "completed-older-than", alias = "completed-for", value_name = "DURATION", value_parser = duration::parse)]
    completed_for: Option<Duration>,

    /// Delete failed and cancelled tasks older than this
    #[arg(long = "failed-older-than", alias = "failed-for", value_name = "DURATION", value_parser = duration::parse)]
    failed_for: Option<Duration>,

    /// Keep at most this many finished tasks; delete the oldest beyond that
    #[arg(long = "keep-tasks", alias = "at-most", value_name = "N")]
    at_most: Option<u64>,

    /// Delete the failure history of tasks that finished longer ago than this
    #[arg(long = "faults-older-than", alias = "faults-for", value_name = "DURATION", value_parser = duration::parse)]
    faults_for: Option<Duration>,

    /// Delete recorded retry sessions and events older than this
    #[arg(long = "records-older-than", alias = "records-for", value_name = "DURATION", value_parser = duration::parse)]
    records_for: Option<Duration>,

    /// Keep at most this many recorded retry sessions, and as many events
    #[arg(long = "keep-records", alias = "records-at-most", value_name = "N")]
    records_at_most: Option<u64>,

    /// Delete audit entries older than this
    #[arg(long = "audit-older-than", alias = "audit-for", value_name = "DURATION", value_parser = duration::parse)]
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
    pub(super) fn run(&self, common: &Common) -> Result<Exit, CliError> {
        let url = self.target.existing_url()?;
        let result = target::block_on(async {
            let open_error = |error: StoreError| target::open_error(&url, error.into());
            let store = Store::open(&url).await.map_err(open_error)?;
            self.prune(&store).await.map_err(open_error)
        })?;
        common.print(&result)
    }

    async fn prune(&self, store: &Store) -> Result<PruneResult, StoreError> {
        let mut retention = self.limits.retention();
        retention.dry_run = true;
        let wanted = store.prune(&retention).await?;
        if self.dry_run {
            return Ok(PruneResult { dry_run: true, pruned: wanted });
        }
        retention.dry_run = false;
        let bar = bar(wanted, self.quiet);
        let mut all = Pruned::default();
        loop {
            let batch = store.prune(&retention).await?;
            if batch.is_nothing() {
                break;
            }
            all += batch;
            bar.set_position(all.total());
        }
        bar.finish_and_clear();
        if !all.is_nothing() {
            let entry = AuditEntry::new(target::current_user(), "store.prune");
            store.audit(&entry.detail(json!(all))).await?;
        }
        Ok(PruneResult { dry_run: false, pruned: all })
    }
}

fn bar(wanted: Pruned, is_quiet: bool) -> ProgressBar {
    let bar = match is_quiet {
        true => ProgressBar::hidden(),
        // indicatif draws only on a terminal.
        false => ProgressBar::new(wanted.total()),
    };
    let style =
        ProgressStyle::with_template("{bar:30.cyan} {percent:>3}%  {human_pos}  {eta} left");
    match style {
        Ok(style) => bar.with_style(style),
        Err(_) => bar,
    }
}

#[derive(Serialize)]
struct PruneResult {
    dry_run: bool,
    #[serde(flatten)]
    pruned: Pruned,
}

impl Printable for PruneResult {
    fn write_text(&self, page: &mut dyn Write) -> io::Result<()> {
        let verb = if self.dry_run { "would be deleted" } else { "deleted" };
        if self.pruned.is_nothing() {
            return writeln!(page, "nothing to delete");
        }
        let counts = [
            (self.pruned.tasks, "task", "tasks"),
            (self.pruned.executions, "execution", "executions"),
            (self.pruned.faults, "fault", "faults"),
            (self.pruned.records, "record", "records"),
            (self.pruned.audit, "audit entry", "audit entries"),
        ];
        let some = counts.into_iter().filter(|(count, ..)| *count > 0);
        let texts: Vec<_> =
            some.map(|(count, one, more)| counted(count as usize, one, more)).collect();
        writeln!(page, "{} {verb}", texts.join(", "))
    }
}
