//! One operation on several tasks.
//!
//! Each task is processed on its own; a failure does not affect the others.

use serde::Serializer;
use steadfast::observe::Redactor;
use steadfast_api::{Api, ApiError, Page, TaskView};
use steadfast_store::TaskId;

use super::task_id;
use crate::commands::prelude::*;

/// The tasks to process, and their target.
#[derive(Debug, Args)]
pub(super) struct TaskIds {
    /// Task ids
    #[arg(value_name = "ID", required = true, value_parser = task_id)]
    ids: Vec<TaskId>,

    #[command(flatten)]
    target: Target,
}

impl TaskIds {
    pub(super) fn apply(
        &self,
        done: fn(&TaskView) -> String,
        common: &Common,
        act: impl AsyncFn(&dyn Api, TaskId) -> Result<TaskView, ApiError>,
    ) -> Result<Exit, CliError> {
        target::block_on(async {
            let api = self.target.open().await?;
            apply(&self.ids, done, common, async |id| act(&*api, id).await).await
        })
    }
}

/// Applies the operation to each task, prints the results, and reports the errors.
pub(super) async fn apply(
    ids: &[TaskId],
    done: fn(&TaskView) -> String,
    common: &Common,
    act: impl AsyncFn(TaskId) -> Result<TaskView, ApiError>,
) -> Result<Exit, CliError> {
    let (mut tasks, mut problems) = (Vec::new(), Vec::new());
    for id in ids {
        match act(*id).await {
            Ok(task) => tasks.push(task.without_secrets(Redactor::installed())),
            Err(error) => problems.push(CliError::from(error)),
        }
    }
    if !tasks.is_empty() {
        common.print(&BatchResult { tasks, done, is_one: ids.len() == 1 })?;
    }
    CliError::all(problems).map_or(Ok(Exit::Success), Err)
}

/// The changed tasks. JSON output is the task, or a page of several.
struct BatchResult {
    tasks: Vec<TaskView>,
    /// The line of a changed task.
    done: fn(&TaskView) -> String,
    is_one: bool,
}

impl Serialize for BatchResult {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        match self.tasks.as_slice() {
            [task] if self.is_one => task.serialize(to),
            tasks => Page { items: tasks.iter().collect(), next: None }.serialize(to),
        }
    }
}

impl Printable for BatchResult {
    fn write_text(&self, page: &mut dyn Write) -> io::Result<()> {
        self.tasks.iter().try_for_each(|task| writeln!(page, "{}", (self.done)(task)))
    }
}
