//! `steadfast tasks list`: tasks by filter (D15).

use std::time::Duration;

use jiff::Timestamp;
use steadfast::duration;
use steadfast::observe::Redactor;
use steadfast_api::{Api, TaskView};
use steadfast_store::Status;

use super::filter::FilterFlags;
use super::status;
use crate::commands::prelude::*;
use crate::output::colour::DIM;
use crate::output::table::StatusColor;
use crate::output::{sanitize, truncate, width};
use crate::paging::{Entries, Listed, Paging};
use crate::watch::Watch;

const EXAMPLES: &[Example] = &[
    ("steadfast tasks list", "newest first"),
    ("steadfast tasks list --status failed --ended-since 2h", "failed in the last two hours"),
    ("steadfast tasks list --due-within 24h", "due in the next 24 hours"),
    ("steadfast tasks list --queue mail --watch", "refresh until q"),
    ("steadfast tasks list --limit 1000 --json", "for a script"),
];

/// List tasks.
///
/// Lists the newest tasks first; with --status scheduled, by due time; with --status pending, in
/// claim order. The column `when` shows when a task ended or is due.
#[derive(Debug, Args)]
#[command(after_help = after_help(EXAMPLES, &[]))]
pub(super) struct List {
    #[command(flatten)]
    paging: Paging,

    #[command(flatten)]
    watch: Watch,

    #[command(flatten)]
    filter: FilterFlags,

    /// Only scheduled and pending tasks due within this duration
    #[arg(long, value_name = "DURATION", value_parser = duration::parse)]
    due_within: Option<Duration>,

    #[command(flatten)]
    target: Target,
}

impl List {
    pub(super) fn run(&self, common: &Common) -> Result<Exit, CliError> {
        self.target.show(&self.watch, common, async |api| self.ask(api).await)
    }

    async fn ask(&self, api: &dyn Api) -> Result<Listed<TaskView>, CliError> {
        let now = api.now().await?;
        let mut filter = self.filter.filter(now);
        filter.due_within = self.due_within;
        let mut page = api.tasks(&filter, &self.paging.query()).await?;
        let masked = page.items.into_iter().map(|task| task.without_secrets(Redactor::installed()));
        page.items = masked.collect();
        let empty = match page.items.is_empty() {
            true => self.empty_text(api).await?,
            false => String::new(),
        };
        Ok(Listed { page, now, empty })
    }

    async fn empty_text(&self, api: &dyn Api) -> Result<String, CliError> {
        if let Some(hint) = self.filter.unknown_queue_hint(api).await? {
            return Ok(hint);
        }
        let is_filtered = self.due_within.is_some() || !self.filter.is_empty();
        Ok(if is_filtered {
            "no matching tasks; finished tasks are deleted after the retention period".to_owned()
        } else if self.paging.is_first() {
            "no tasks yet: submit one with `steadfast submit`".to_owned()
        } else {
            "no more tasks".to_owned()
        })
    }
}

const COLUMNS: [&str; 7] = ["task", "status", "kind", "queue", "attempts", "when", "last error"];

/// The minimum and maximum width of the error column.
const ERROR_COLUMNS: (usize, usize) = (20, 80);

impl Entries for TaskView {
    fn write(tasks: &[Self], now: Timestamp, page: &mut dyn Write) -> io::Result<()> {
        let width = width::of_stdout();
        match table(tasks, now, width) {
            Some(table) => table.write_within(page, width),
            None => write_in_blocks(tasks, now, page, width.map_or(ERROR_COLUMNS.1, usize::from)),
        }
    }
}

/// The table, if it fits.
fn table(tasks: &[TaskView], now: Timestamp, width: Option<u16>) -> Option<Table> {
    let bare = rows(tasks, now, None);
    let room = match width {
        None => ERROR_COLUMNS.1,
        Some(width) => usize::from(width).checked_sub(bare.width())?.saturating_sub(Table::GAP),
    };
    if tasks.iter().all(|task| error(task).is_empty()) {
        return Some(bare);
    }
    (room >= ERROR_COLUMNS.0).then(|| rows(tasks, now, Some(room)))
}

/// The table, with an error column of this width if given.
fn rows(tasks: &[TaskView], now: Timestamp, room: Option<usize>) -> Table {
    let [columns @ .., _] = &COLUMNS;
    let columns = if room.is_some() { &COLUMNS[..] } else { columns };
    let mut table = Table::with_columns(columns, &["attempts"]);
    for task in tasks {
        let cells = [
            (task.id.to_string(), None),
            (task.status.to_string(), status::color(task.status)),
            (task.kind.clone(), None),
            (task.queue.clone(), None),
            (status::attempts(task, "/"), None),
            (status::when(task, now), None),
        ];
        let error = room.map(|room| (truncate::line(&error(task), room), None));
        table.colored_row(cells.into_iter().chain(error));
    }
    table
}

/// Two or three lines per task, for a narrow terminal.
fn write_in_blocks(
    tasks: &[TaskView],
    now: Timestamp,
    page: &mut dyn Write,
    width: usize,
) -> io::Result<()> {
    for task in tasks {
        let id = task.id.to_string();
        let state = format!("{} {}", status::attempts(task, "/"), status::when(task, now));
        let style = status::color(task.status).map(StatusColor::style).unwrap_or_default();
        let fits = id.len() + task.status.name().len() + state.len() + 4 <= width;
        let separator = if fits { "  " } else { "\n    " };
        writeln!(page, "{id}{separator}{style}{}{style:#}  {state}", task.status)?;
        let about = format!("{} on {}", sanitize::line(&task.kind), sanitize::line(&task.queue));
        let about = match error(task) {
            error if error.is_empty() => about,
            error => format!("{about}: {error}"),
        };
        let about = truncate::line(&about, width.saturating_sub(4));
        writeln!(page, "    {DIM}{about}{DIM:#}")?;
    }
    Ok(())
}

/// The task's problem, or its last error unless it has completed.
fn error(task: &TaskView) -> String {
    if let Some(problem) = &task.problem {
        return problem.clone();
    }
    let message = task.last_error.as_ref().map(|error| error.message.as_str());
    match (status::reason(task), message) {
        _ if task.status == Status::Completed => String::new(),
        (Some(reason), Some(message)) => format!("{reason}: {message}"),
        (Some(reason), None) => reason.to_owned(),
        (None, message) => message.unwrap_or_default().to_owned(),
    }
}
