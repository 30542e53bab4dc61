//! `steadfast stats`: task counts, queues and success rate (D15).

use steadfast_api::StatsView;

use crate::commands::prelude::*;
use crate::commands::queue::list::write_queues;
use crate::output::relative_time;
use crate::watch::Watch;

const EXAMPLES: &[Example] = &[
    ("steadfast stats", "the store in this directory"),
    ("steadfast stats --store postgres://app@db/tasks", "a PostgreSQL store"),
    ("steadfast stats --watch", "refresh until q"),
    ("steadfast stats --json", "for a script"),
];

/// Show task counts, queues and the success rate.
///
/// Counts tasks by status, and lists the queues. The success rate is the share of completed tasks
/// among all completed and failed tasks.
#[derive(Debug, Args)]
#[command(after_help = after_help(EXAMPLES, &[]))]
pub(crate) struct StatsCommand {
    #[command(flatten)]
    watch: Watch,

    #[command(flatten)]
    target: Target,
}

impl StatsCommand {
    pub(crate) fn run(&self, common: &Common) -> Result<Exit, CliError> {
        self.target.show(&self.watch, common, async |api| {
            Ok(AsOf { value: api.stats().await?, now: api.now().await? })
        })
    }
}

impl Printable for AsOf<StatsView> {
    fn write_text(&self, page: &mut dyn Write) -> io::Result<()> {
        let Self { value: stats, now } = self;
        if stats.total() == 0 {
            return writeln!(page, "no tasks yet: submit one with `steadfast submit`");
        }
        let oldest = stats.due_since.map(|since| relative_time::elapsed(since, *now));
        let oldest = oldest.map(|time| format!("oldest waiting for {time}"));
        let next = stats.next_due.map(|next| relative_time::from_now(next, *now));
        let next =
            next.map(|next| format!("{} in the next 24 hours, next {next}", stats.due_in_24_hours));
        let mut table = Table::bare();
        for (name, count, more) in [
            ("pending", stats.pending, oldest),
            ("scheduled", stats.scheduled, next),
            ("running", stats.running, None),
            ("completed", stats.completed, None),
            ("failed", stats.failed, None),
            ("cancelled", stats.cancelled, None),
        ] {
            table.entry(name, format!("{count:>7}  {}", more.unwrap_or_default()));
        }
        let rate = stats.success_rate.map(|rate| format!("{:.1} %", rate * 100.0));
        let rate = rate.unwrap_or_else(|| "none ended".to_owned());
        table.entry("success rate", format!("{rate:>7}"));
        table.write(page)?;
        writeln!(page)?;
        write_queues(page, &stats.queues)
    }
}
