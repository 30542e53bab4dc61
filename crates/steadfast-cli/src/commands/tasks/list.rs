//! `steadfast tasks list`: tasks by filter (D15).

use std::time::Duration;

use jiff::Timestamp;
use steadfast::duration;
use steadfast::observe::Redactor;
use steadfast_api::{Api, Page, TaskView};
use steadfast_store::Status;

use super::filter::FilterFlags;
use super::status;
use crate::commands::prelude::*;
use crate::output::table::{Align, StatusColor};
use crate::output::{colour, sanitize, truncate, width};
use crate::paging::{self, Paging};
use crate::watch::Watch;

const EXAMPLES: &[Example] = &[
    ("steadfast tasks list", "newest first"),
    ("steadfast tasks list --status failed --since 2h", "failed in the last two hours"),
    ("steadfast tasks list --due-within 24h", "due in the next 24 hours"),
    ("steadfast tasks list --queue mail --watch", "refresh until q"),
    ("steadfast tasks list --limit 1000 --json", "for a script"),
];

/// List tasks.
///
/// Newest first; scheduled tasks by their due time, and pending tasks in claim order. The time is
/// when a task ended or is due.
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

    /// The text for an empty list.
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

#[derive(Serialize)]
#[serde(transparent)]
struct Listed {
    page: Page<TaskView>,
    #[serde(skip)]
    now: Timestamp,
    /// The text for an empty list.
    #[serde(skip)]
    empty: String,
}

const COLUMNS: &[(&str, Align)] = &[
    ("task", Align::Left),
    ("status", Align::Left),
    ("kind", Align::Left),
    ("queue", Align::Left),
    ("attempts", Align::Right),
    ("when", Align::Left),
];

/// The minimum and maximum width of the error column.
const ERROR_COLUMNS: (usize, usize) = (20, 80);

impl Printable for Listed {
    fn write_text(&self, page: &mut dyn Write) -> io::Result<()> {
        if self.page.items.is_empty() {
            return writeln!(page, "{}", self.empty);
        }
        let width = width::of_stdout();
        match self.table(width) {
            Some(table) => table.write(page, width),
            None => self.write_in_blocks(page, width.map_or(ERROR_COLUMNS.1, usize::from)),
        }
    }
}

impl Listed {
    /// The table, if it fits.
    fn table(&self, width: Option<u16>) -> Option<Table> {
        let bare = self.rows(None);
        let room = match width {
            None => ERROR_COLUMNS.1,
            Some(width) => usize::from(width).checked_sub(bare.width())?.saturating_sub(Table::GAP),
        };
        if self.page.items.iter().all(|task| error(task).is_empty()) {
            return Some(bare);
        }
        (room >= ERROR_COLUMNS.0).then(|| self.rows(Some(room)))
    }

    /// The table, with an error column of this width if given.
    fn rows(&self, room: Option<usize>) -> Table {
        let columns = COLUMNS.iter().chain(room.map(|_| &("last error", Align::Left)));
        let mut table = Table::with_columns(&columns.copied().collect::<Vec<_>>());
        for task in &self.page.items {
            let cells = [
                (task.id.to_string(), None),
                (task.status.to_string(), status::color(task.status)),
                (task.kind.clone(), None),
                (task.queue.clone(), None),
                (status::attempts_short(task), None),
                (status::when(task, self.now), None),
            ];
            let error = room.map(|room| (truncate::line(&error(task), room), None));
            table.colored_row(cells.into_iter().chain(error));
        }
        table
    }

    /// Two or three lines per task, for a narrow terminal.
    fn write_in_blocks(&self, page: &mut dyn Write, width: usize) -> io::Result<()> {
        for task in &self.page.items {
            let id = task.id.to_string();
            let state =
                format!("{} {}", status::attempts_short(task), status::when(task, self.now));
            let style = status::color(task.status).map(StatusColor::style).unwrap_or_default();
            let fits = id.len() + task.status.name().len() + state.len() + 4 <= width;
            let separator = if fits { "  " } else { "\n    " };
            writeln!(page, "{id}{separator}{style}{}{style:#}  {state}", task.status)?;
            let about =
                format!("{} on {}", sanitize::line(&task.kind), sanitize::line(&task.queue));
            let about = match error(task) {
                error if error.is_empty() => about,
                error => format!("{about}: {error}"),
            };
            let dim = colour::DIM;
            let about = truncate::line(&about, width.saturating_sub(4));
            writeln!(page, "    {dim}{about}{dim:#}")?;
        }
        Ok(())
    }
}

/// The task's problem, or its last error unless it has completed.
fn error(task: &TaskView) -> String {
    if let Some(problem) = &task.problem {
        return problem.clone();
    }
    let message = task.last_error.as_ref().map(|error| error.message.as_str());
    match (task.reason, message) {
        _ if task.status == Status::Completed => String::new(),
        (Some(reason), Some(message)) => format!("{reason}: {message}"),
        (Some(reason), None) => reason.to_string(),
        (None, message) => message.unwrap_or_default().to_owned(),
    }
}
