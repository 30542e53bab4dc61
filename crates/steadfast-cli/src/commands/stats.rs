//! `steadfast stats`: how many tasks are where, and how well it goes (D15).

use std::io::{self, Write};

use clap::Args;
use jiff::Timestamp;
use serde::Serialize;
use steadfast_api::{Api, StatsView};

use crate::cli::Common;
use crate::exit::Exit;
use crate::help::{Example, after_help};
use crate::output::table::Table;
use crate::output::{Answer, moment, queues, width};
use crate::problem::Problem;
use crate::target::{self, Place};
use crate::watch::Watch;

const EXAMPLES: &[Example] = &[
    ("steadfast stats", "of steadfast.db in this directory"),
    ("steadfast stats --store postgres://app@db/tasks", "of a fleet"),
    ("steadfast stats --watch", "live, until q"),
    ("steadfast stats --json", "for a script"),
];

/// Count the tasks: pending, due in 24 hours, failed, success rate.
///
/// Counts the tasks of a store by where they are, and its queues. The success rate is the share
/// of completed tasks in those that completed or failed.
#[derive(Debug, Args)]
#[command(after_help = after_help(EXAMPLES, &[]))]
pub(crate) struct StatsCommand {
    #[command(flatten)]
    watch: Watch,

    #[command(flatten)]
    place: Place,
}

impl StatsCommand {
    pub(crate) fn run(&self, common: &Common) -> Result<Exit, Problem> {
        target::block_on(async {
            let api = self.place.look().await?;
            if self.watch.is_on() {
                return self.watch.run(common.output(), async || Figures::ask(&*api).await).await;
            }
            common.output().answer(&Figures::ask(&*api).await?)?;
            Ok(Exit::Good)
        })
    }
}

#[derive(Serialize)]
#[serde(transparent)]
struct Figures {
    stats: StatsView,
    #[serde(skip)]
    now: Timestamp,
}

impl Figures {
    async fn ask(api: &dyn Api) -> Result<Self, Problem> {
        Ok(Self { stats: api.stats().await?, now: api.now().await? })
    }

    fn pending(&self) -> String {
        let waiting = self.stats.due_since.map(|since| moment::since(since, self.now));
        waiting.map_or_else(String::new, |time| format!("the first for {time}"))
    }

    fn scheduled(&self) -> String {
        let next = self.stats.next_due.map(|next| moment::away(next, self.now));
        next.map_or_else(String::new, |next| {
            format!("{} in the next 24 hours, the first {next}", self.stats.due_in_24_hours)
        })
    }

    fn success(&self) -> String {
        let rate = self.stats.success_rate;
        rate.map_or_else(|| "none has ended".to_owned(), |rate| format!("{:.1} %", rate * 100.0))
    }
}

impl Answer for Figures {
    fn tell(&self, page: &mut dyn Write) -> io::Result<()> {
        let stats = &self.stats;
        if stats.total() == 0 {
            return writeln!(page, "no tasks yet: put one in with `steadfast submit`");
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
