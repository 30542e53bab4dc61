//! `steadfast stats`: task counts, queues and success rate (D15).

use jiff::Timestamp;
use steadfast_api::{Api, StatsView};

use crate::commands::prelude::*;
use crate::output::{queues, relative_time, width};
use crate::watch::Watch;

const EXAMPLES: &[Example] = &[
    ("steadfast stats", "the store of this directory"),
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
        target::block_on(async {
            let api = self.target.open().await?;
            if self.watch.is_on() {
                return self
                    .watch
                    .run(common.output(), async || StatsOutput::ask(&*api).await)
                    .await;
            }
            common.output().print(&StatsOutput::ask(&*api).await?)?;
            Ok(Exit::Success)
        })
    }
}

#[derive(Serialize)]
#[serde(transparent)]
struct StatsOutput {
    stats: StatsView,
    #[serde(skip)]
    now: Timestamp,
}

impl StatsOutput {
    async fn ask(api: &dyn Api) -> Result<Self, CliError> {
        Ok(Self { stats: api.stats().await?, now: api.now().await? })
    }

    fn pending(&self) -> String {
        let oldest = self.stats.due_since.map(|since| relative_time::elapsed(since, self.now));
        oldest.map_or_else(String::new, |time| format!("oldest waiting for {time}"))
    }

    fn scheduled(&self) -> String {
        let next = self.stats.next_due.map(|next| relative_time::from_now(next, self.now));
        next.map_or_else(String::new, |next| {
            format!("{} in the next 24 hours, next {next}", self.stats.due_in_24_hours)
        })
    }

    fn success(&self) -> String {
        let rate = self.stats.success_rate;
        rate.map_or_else(|| "none ended".to_owned(), |rate| format!("{:.1} %", rate * 100.0))
    }
}

impl Printable for StatsOutput {
    fn write_text(&self, page: &mut dyn Write) -> io::Result<()> {
        let stats = &self.stats;
        if stats.total() == 0 {
            return writeln!(page, "no tasks yet: submit one with `steadfast submit`");
        }
        let mut table = Table::bare();
        let nothing = String::new;
        for (name, count, more) in [
            ("pending", stats.pending, self.pending()),
            ("scheduled", stats.scheduled, self.scheduled()),
            ("running", stats.running, nothing()),
            ("completed", stats.completed, nothing()),
            ("failed", stats.failed, nothing()),
            ("cancelled", stats.cancelled, nothing()),
        ] {
            table.entry(name, format!("{count:>7}  {more}"));
        }
        table.entry("success rate", format!("{:>7}", self.success()));
        table.write(page, width::of_stdout())?;
        writeln!(page)?;
        queues::write(page, &stats.queues)
    }
}
