//! Submission or preview of a single task.

use jiff::Timestamp;
use serde_json::value::to_raw_value;
use steadfast::observe::Redactor;
use steadfast_api::{NewTask, Preview, Submission};
use steadfast_store::Status;

use super::payload;
use super::task_flags::TaskFlags;
use crate::commands::prelude::*;
use crate::output::table::Align;
use crate::output::{relative_time, width};

/// Flags of a single task.
#[derive(Debug, Args)]
pub(super) struct SingleTask {
    /// Idempotency key: submitting it again returns the same task
    #[arg(long, value_name = "KEY", help_heading = "Task")]
    key: Option<String>,

    /// Show when attempts would be made, and submit nothing
    #[arg(long)]
    dry_run: bool,

    #[command(flatten)]
    task: TaskFlags,

    #[command(flatten)]
    target: Target,
}

impl SingleTask {
    pub(super) fn run(
        &self,
        kind: &str,
        call: &impl Serialize,
        common: &Common,
    ) -> Result<Exit, CliError> {
        let task = self.task(kind, call, common)?;
        let output = common.output();
        if self.dry_run {
            output.print(&target::block_on(self.preview(task, common))?)?;
        } else {
            output.print(&target::block_on(self.submit(task, common))?)?;
        }
        Ok(Exit::Success)
    }

    fn task(
        &self,
        kind: &str,
        call: &impl Serialize,
        common: &Common,
    ) -> Result<NewTask, CliError> {
        let call = to_raw_value(call).map_err(|why| CliError::usage(why.to_string()))?;
        payload::check(kind, &call)?;
        let mut task = NewTask::new(kind, call);
        self.task.defaults(common.config.as_deref())?.fill(&mut task);
        task.idempotency_key.clone_from(&self.key);
        Ok(task)
    }

    async fn submit(&self, task: NewTask, common: &Common) -> Result<SubmittedTask, CliError> {
        let api = self.target.open_or_create(common).await?;
        let mut taken = api.submit(task).await?;
        taken.task = taken.task.without_secrets(Redactor::installed());
        Ok(SubmittedTask { taken, now: api.now().await? })
    }

    async fn preview(&self, task: NewTask, common: &Common) -> Result<AttemptPreview, CliError> {
        let api = self.target.open_for_preview(common).await?;
        Ok(AttemptPreview { preview: api.preview(task).await?, now: api.now().await? })
    }
}

/// A submitted task.
#[derive(Serialize)]
#[serde(transparent)]
struct SubmittedTask {
    taken: Submission,
    #[serde(skip)]
    now: Timestamp,
}

impl Printable for SubmittedTask {
    fn write_text(&self, page: &mut dyn Write) -> io::Result<()> {
        let task = &self.taken.task;
        let due = match task.status {
            Status::Scheduled => {
                format!(", {}", relative_time::from_now(task.scheduled_at, self.now))
            }
            _ => String::new(),
        };
        let known = if self.taken.existed { "already exists: " } else { "" };
        writeln!(page, "task {} {known}{}{due}", task.id, task.status)
    }
}

/// A preview of a task's attempts.
#[derive(Serialize)]
#[serde(transparent)]
struct AttemptPreview {
    preview: Preview,
    #[serde(skip)]
    now: Timestamp,
}

impl Printable for AttemptPreview {
    fn write_text(&self, page: &mut dyn Write) -> io::Result<()> {
        let preview = &self.preview;
        if preview.next.is_empty() {
            let why = preview.reason.map_or("it expires first", |reason| reason.name());
            return writeln!(page, "no attempt would be made: {why}");
        }
        let columns =
            [("attempt", Align::Right), ("earliest", Align::Left), ("latest", Align::Left)];
        let mut table = Table::with_columns(&columns);
        for next in &preview.next {
            let time = |time| format!("{time:.1} ({})", relative_time::from_now(time, self.now));
            table.row([next.attempt.to_string(), time(next.earliest), time(next.latest)]);
        }
        table.write(page, width::of_stdout())?;
        if preview.and_more > 0 {
            writeln!(page, "and {} more", preview.and_more)?;
        }
        let name = preview.policy.id().map_or_else(String::new, |id| format!(" {id}"));
        writeln!(page, "\nnothing submitted; attempts under the policy{name} if every one fails")
    }
}
