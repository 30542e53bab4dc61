//! `steadfast flow list`: workflow executions.

use jiff::Timestamp;
use steadfast_api::{Execution, ExecutionFilter};
use steadfast_store::ExecutionStatus;

use crate::commands::prelude::*;
use crate::output::table::StatusColor;
use crate::output::{relative_time, truncate};
use crate::paging::{Entries, Listed, Paging};
use crate::watch::Watch;

const EXAMPLES: &[Example] = &[
    ("steadfast flow list", "newest first"),
    ("steadfast flow list --status failed", "failed executions"),
    ("steadfast flow list --workflow sign-up --watch", "refresh until q"),
];

/// List workflow executions, newest first.
///
/// The column `when` shows when the execution ended or, while it runs, when it started.
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
        self.target.show(&self.watch, common, async |api| {
            let filter = ExecutionFilter { status: self.status, workflow: self.workflow.clone() };
            let page = api.executions(&filter, &self.paging.query()).await?;
            let empty = match filter == ExecutionFilter::default() {
                true => "no executions yet: start one with `steadfast flow run`",
                false => "no matching executions",
            };
            Ok(Listed { page, now: api.now().await?, empty: empty.to_owned() })
        })
    }
}

impl Entries for Execution {
    fn write(executions: &[Self], now: Timestamp, page: &mut dyn Write) -> io::Result<()> {
        table(executions, now).write(page)
    }
}

const MAX_REASON_CHARS: usize = 60;

pub(super) fn table(executions: &[Execution], now: Timestamp) -> Table {
    let columns = ["execution", "status", "workflow", "attempt", "when", "reason"];
    let mut table = Table::with_columns(&columns, &["attempt"]);
    for execution in executions {
        let why = execution.message.as_deref().unwrap_or_default();
        table.colored_row([
            (execution.id.to_string(), None),
            (execution.status.to_string(), Some(color(execution.status))),
            (execution.workflow.clone(), None),
            (execution.attempt.to_string(), None),
            (relative_time::from_now(execution.ended_at.unwrap_or(execution.due_at), now), None),
            (truncate::line(why, MAX_REASON_CHARS), None),
        ]);
    }
    table
}

const fn color(status: ExecutionStatus) -> StatusColor {
    match status {
        ExecutionStatus::Running => StatusColor::Active,
        ExecutionStatus::Completed => StatusColor::Success,
        ExecutionStatus::Failed => StatusColor::Error,
        ExecutionStatus::Cancelled => StatusColor::Uncertain,
    }
}
