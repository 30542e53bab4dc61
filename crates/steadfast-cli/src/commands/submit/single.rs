//! Submission or preview of a single task.

use serde_json::value::to_raw_value;
use steadfast::observe::Redactor;
use steadfast_api::{NewTask, Preview, Submission};
use steadfast_store::Status;

use super::payload;
use super::task_flags::TaskFlags;
use crate::commands::prelude::*;
use crate::output::relative_time;

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
        if self.dry_run {
            return common.print(&target::block_on(self.preview(task, common))?);
        }
        common.print(&target::block_on(self.submit(task, common))?)
    }

    fn task(
        &self,
        kind: &str,
        call: &impl Serialize,
        common: &Common,
    ) -> Result<NewTask, CliError> {
        self.task.check()?;
        let call = to_raw_value(call).map_err(|why| CliError::usage(why.to_string()))?;
        payload::check(kind, &call)?;
        let mut task = NewTask::new(kind, call);
        self.task.defaults(common.config.as_deref())?.fill(&mut task);
        task.idempotency_key.clone_from(&self.key);
        Ok(task)
    }

    async fn submit(&self, task: NewTask, common: &Common) -> Result<AsOf<Submission>, CliError> {
        let api = self.target.open_or_create(common).await?;
        let mut value = api.submit(task).await?;
        value.task = value.task.without_secrets(Redactor::installed());
        Ok(AsOf { value, now: api.now().await? })
    }

    async fn preview(&self, task: NewTask, common: &Common) -> Result<AsOf<Preview>, CliError> {
        let api = self.target.open_for_preview(common).await?;
        Ok(AsOf { value: api.preview(task).await?, now: api.now().await? })
    }
}

impl Printable for AsOf<Submission> {
    fn write_text(&self, page: &mut dyn Write) -> io::Result<()> {
        let Submission { task, existed, .. } = &self.value;
        let due = match task.status {
            Status::Scheduled => {
                format!(", {}", relative_time::from_now(task.scheduled_at, self.now))
            }
            _ => String::new(),
        };
        let known = if *existed { "already exists: " } else { "" };
        writeln!(page, "task {} {known}{}{due}", task.id, task.status)
    }
}

impl Printable for AsOf<Preview> {
    fn write_text(&self, page: &mut dyn Write) -> io::Result<()> {
        let preview = &self.value;
        if preview.next.is_empty() {
            let why = preview.reason.map_or("it expires first", |reason| reason.label());
            return writeln!(page, "no attempt would be made: {why}");
        }
        let mut table = Table::with_columns(&["attempt", "earliest", "latest"], &["attempt"]);
        for next in &preview.next {
            let time = |time| format!("{time:.1} ({})", relative_time::from_now(time, self.now));
            table.row([next.attempt.to_string(), time(next.earliest), time(next.latest)]);
        }
        table.write(page)?;
        if preview.and_more > 0 {
            writeln!(page, "and {} more", preview.and_more)?;
        }
        let name = preview.policy.id().map_or_else(String::new, |id| format!(" `{id}`"));
        writeln!(
            page,
            "\nnothing submitted; these are the attempt times under the policy{name} if every \
             attempt fails"
        )
    }
}
