//! `steadfast tasks show`: one task with its attempts (D18, O4).

mod properties;
mod timeline;

use serde_json::Value;
use steadfast::observe::Redactor;
use steadfast_api::{Api, ApiError, TaskView};
use steadfast_store::TaskId;

use super::task_id;
use crate::commands::prelude::*;
use crate::output::colour::HEADING;
use crate::output::sanitize;
use crate::watch::Watch;
use timeline::Timeline;

const EXAMPLES: &[Example] = &[
    ("steadfast tasks show 01985c2e-6a5c-7b1e-9f0a-3c5d7e9f1a2b", "attempts and next steps"),
    ("steadfast tasks show --key invoice-42 --watch", "by key, refreshed until q"),
    ("steadfast tasks show --key invoice-42 --json", "for a script"),
];

/// Show one task with its attempts, decisions and upcoming retries.
///
/// Each failed attempt has its class, the rule that decided it, and the delay after it. Upcoming
/// attempts assume retryable failures. Secrets in the payload and the result are redacted.
#[derive(Debug, Args)]
#[command(after_help = after_help(EXAMPLES, &[]))]
pub(super) struct Show {
    /// Task id
    #[arg(value_name = "ID", value_parser = task_id, required_unless_present = "key")]
    id: Option<TaskId>,

    /// Idempotency key, instead of an id
    #[arg(long, value_name = "KEY", conflicts_with = "id")]
    key: Option<String>,

    /// Do not redact secrets
    #[arg(long)]
    show_secrets: bool,

    #[command(flatten)]
    watch: Watch,

    #[command(flatten)]
    target: Target,
}

impl Show {
    pub(super) fn run(&self, common: &Common) -> Result<Exit, CliError> {
        self.target.show(&self.watch, common, async |api| {
            let task = self.find(api).await?;
            let value = match self.show_secrets {
                true => task,
                false => task.without_secrets(Redactor::installed()),
            };
            Ok(AsOf { value, now: api.now().await? })
        })
    }

    async fn find(&self, api: &dyn Api) -> Result<TaskView, ApiError> {
        match (self.id, &self.key) {
            (Some(id), _) => api.task(id).await,
            (None, key) => api.task_by_key(key.as_deref().unwrap_or_default()).await,
        }
    }
}

impl Printable for AsOf<TaskView> {
    fn write_text(&self, page: &mut dyn Write) -> io::Result<()> {
        let Self { value: task, now } = self;
        properties::write(page, task, *now)?;
        writeln!(page, "\n{HEADING}attempts{HEADING:#}")?;
        Timeline::new(task, *now).write(page)?;
        writeln!(page, "\n{HEADING}payload{HEADING:#}")?;
        write_json(page, &task.payload)?;
        let Some(result) = &task.result else { return Ok(()) };
        writeln!(page, "\n{HEADING}result{HEADING:#}")?;
        write_json(page, result)
    }
}

fn write_json(page: &mut dyn Write, value: &Value) -> io::Result<()> {
    let text: String = format!("{value:#}").chars().map(sanitize::letter).collect();
    text.lines().try_for_each(|line| writeln!(page, "  {line}"))
}
