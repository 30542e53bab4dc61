//! `steadfast flow list`: workflow executions.

use jiff::Timestamp;
use steadfast_api::{Api, ExecutionFilter, ExecutionView, Page};
use steadfast_store::ExecutionStatus;

use super::status_color;
use crate::commands::prelude::*;
use crate::output::table::Align;
use crate::output::{relative_time, truncate, width};
use crate::paging::{self, Paging};
use crate::watch::Watch;

const EXAMPLES: &[Example] = &[
    ("steadfast flow list", "newest first"),
    ("steadfast flow list --status failed", "failed executions"),
    ("steadfast flow list --workflow sign-up --watch", "refresh until q"),
];

/// List workflow executions, newest first.
///
/// The time is when an execution ended, or when its first nodes are due.
#[derive(Debug, Args)]
#[command(after_help = after_help(EXAMPLES, &[]))]
pub(super) struct List {
    /// Only executions with this status: running, completed, failed or cancelled
    #[arg(long, value_name = "STATUS", value_parser = status)]
    status: Option<ExecutionStatus>,

    /// Only executions of this workflow
    #[arg(long, value_name = "NAME")]
    workflow: Option<String>,

    #[command(flatten)]
    paging: Paging,

    #[command(flatten)]
    watch: Watch,

    #[command(flatten)]
    target: Target,
}

fn status(text: &str) -> Result<ExecutionStatus, String> {
    text.parse().map_err(|error: steadfast_store::InputError| error.problem().to_owned())
}

impl List {
    pub(super) fn run(&self, common: &Common) -> Result<Exit, CliError> {
        target::block_on(async {
            let api = self.target.open().await?;
            if self.watch.is_on() {
                return self.watch.run(common.output(), async || self.ask(&*api).await).await;
            }
            let listed = self.ask(&*api).await?;
            common.output().print(&listed)?;
            paging::note(listed.page.next.as_ref());
            Ok(Exit::Success)
        })
    }

    async fn ask(&self, api: &dyn Api) -> Result<Listed, CliError> {
        let filter = ExecutionFilter { status: self.status, workflow: self.workflow.clone() };
        let page = api.executions(&filter, &self.paging.query()).await?;
        Ok(Listed { page, now: api.now().await?, is_all: filter == ExecutionFilter::default() })
    }
}

#[derive(Serialize)]
#[serde(transparent)]
struct Listed {
    page: Page<ExecutionView>,
    #[serde(skip)]
    now: Timestamp,
    #[serde(skip)]
    is_all: bool,
}

impl Printable for Listed {
    fn write_text(&self, page: &mut dyn Write) -> io::Result<()> {
        if self.page.items.is_empty() {
            return page.write_all(match self.is_all {
                true => b"no executions yet: start one with `steadfast flow run`\n",
                false => b"no matching executions\n",
            });
        }
        table(&self.page.items, self.now).write(page, width::of_stdout())
    }
}

/// The longest reason shown in the table.
const MAX_REASON_CHARS: usize = 60;

/// A table with one line per execution.
pub(super) fn table(executions: &[ExecutionView], now: Timestamp) -> Table {
    let columns = [
        ("execution", Align::Left),
        ("status", Align::Left),
        ("workflow", Align::Left),
        ("attempt", Align::Right),
        ("when", Align::Left),
        ("reason", Align::Left),
    ];
    let mut table = Table::with_columns(&columns);
    for execution in executions {
        let why = execution.message.as_deref().unwrap_or_default();
        table.colored_row([
            (execution.id.to_string(), None),
            (execution.status.to_string(), Some(status_color::of_execution(execution.status))),
            (execution.workflow.clone(), None),
            (execution.attempt.to_string(), None),
            (relative_time::from_now(execution.ended_at.unwrap_or(execution.due_at), now), None),
            (truncate::line(why, MAX_REASON_CHARS), None),
        ]);
    }
    table
}
