//! `steadfast tasks show`: one task with its attempts (D18, O4).

mod json;
mod properties;
mod timeline;

use jiff::Timestamp;
use steadfast::observe::Redactor;
use steadfast_api::{Api, ApiError, TaskView};
use steadfast_store::TaskId;

use super::id;
use crate::commands::prelude::*;
use crate::output::colour::HEADING;
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
/// attempts assume retryable failures. Secrets in payload and result are redacted.
#[derive(Debug, Args)]
#[command(after_help = after_help(EXAMPLES, &[]))]
pub(super) struct Show {
    /// Task id
    #[arg(value_name = "ID", value_parser = id::parse, required_unless_present = "key")]
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
        target::block_on(async {
            let api = self.target.open().await?;
            if self.watch.is_on() {
                return self.watch.run(common.output(), async || self.ask(&*api).await).await;
            }
            common.output().print(&self.ask(&*api).await?)?;
            Ok(Exit::Success)
        })
    }

    async fn ask(&self, api: &dyn Api) -> Result<TaskOutput, CliError> {
        let task = self.find(api).await?;
        let task = match self.show_secrets {
            true => task,
            false => task.without_secrets(Redactor::installed()),
        };
        Ok(TaskOutput { task, now: api.now().await? })
    }

    async fn find(&self, api: &dyn Api) -> Result<TaskView, ApiError> {
        match (self.id, &self.key) {
            (Some(id), _) => api.task(id).await,
            (None, key) => api.task_by_key(key.as_deref().unwrap_or_default()).await,
        }
    }
}

#[derive(Serialize)]
#[serde(transparent)]
struct TaskOutput {
    task: TaskView,
    #[serde(skip)]
    now: Timestamp,
}

impl Printable for TaskOutput {
    fn write_text(&self, page: &mut dyn Write) -> io::Result<()> {
        properties::write(page, &self.task, self.now)?;
        writeln!(page, "\n{HEADING}attempts{HEADING:#}")?;
        Timeline::new(&self.task, self.now).write(page)?;
        writeln!(page, "\n{HEADING}payload{HEADING:#}")?;
        json::write(page, &self.task.payload)?;
        let Some(result) = &self.task.result else { return Ok(()) };
        writeln!(page, "\n{HEADING}result{HEADING:#}")?;
        json::write(page, result)
    }
}
