//! `steadfast tasks requeue`: requeues finished tasks, singly or in bulk (D10, D16).

use std::time::Duration;

use steadfast_api::{Api, RequeueMany, RequeueOne, Requeued, TaskView};
use steadfast_store::{Status, TaskId};

use super::filter::FilterFlags;
use super::{batch, task_id};
use crate::commands::prelude::*;
use crate::confirm;
use crate::output::human_duration::format as human_duration;

const EXAMPLES: &[Example] = &[
    ("steadfast tasks requeue 01985c2e-6a5c-7b1e-9f0a-3c5d7e9f1a2b", "one task"),
    ("steadfast tasks requeue --status failed --queue mail --dry-run", "preview"),
    ("steadfast tasks requeue --status failed --ended-since 2h --rate 50/s", "at a limited rate"),
    ("steadfast tasks requeue --class rate_limited --keep-count --yes", "in a script"),
];

/// Requeue finished tasks.
///
/// Select tasks by id or by filter; the default status is failed. The attempt count restarts
/// at zero. With --keep-count it continues, and a task without attempts left gets one more. With
/// --rate, tasks are spread with slight jitter to protect the service they call.
#[derive(Debug, Args)]
#[command(after_help = after_help(EXAMPLES, &[]))]
pub(super) struct RequeueCommand {
    /// Task ids
    #[arg(value_name = "ID", value_parser = task_id)]
    ids: Vec<TaskId>,

    /// Count attempts from zero (default)
    #[arg(long, conflicts_with = "keep_count")]
    #[allow(dead_code, reason = "accepted for clarity; it is the default")]
    fresh: bool,

    /// Keep the attempt count
    #[arg(long)]
    keep_count: bool,

    /// Keep the due time of tasks that were cancelled before they were due; only with ids
    #[arg(long, requires = "ids")]
    keep_time: bool,

    /// Maximum rate, such as 50/s or 300/min [default: unlimited]
    #[arg(long, value_name = "RATE", value_parser = rate, conflicts_with = "ids")]
    rate: Option<f64>,

    /// Maximum number of tasks, oldest first [default: unlimited]
    #[arg(long, value_name = "N", conflicts_with = "ids")]
    limit: Option<u32>,

    /// Show how many tasks would be requeued, and change nothing
    #[arg(long, conflicts_with = "ids")]
    dry_run: bool,

    /// Do not ask for confirmation
    #[arg(short, long)]
    yes: bool,

    #[command(flatten)]
    filter: FilterFlags,

    #[command(flatten)]
    target: Target,
}

/// Parses `50/s`, `300/min`, `1000/h`, or a number per second.
fn rate(text: &str) -> Result<f64, String> {
    let (number, unit) = text.split_once('/').unwrap_or((text, "s"));
    let seconds = match unit {
        "s" => 1.0,
        "min" | "m" => 60.0,
        "h" => 3600.0,
        _ => return Err(not_a_rate(text)),
    };
    match number.parse::<f64>() {
        Ok(number) if number.is_finite() && number > 0.0 => Ok(number / seconds),
        _ => Err(not_a_rate(text)),
    }
}

fn not_a_rate(text: &str) -> String {
    format!("`{text}` is not a rate greater than 0, such as 50/s, 300/min or 1000/h")
}

impl RequeueCommand {
    pub(super) fn run(&self, common: &Common) -> Result<Exit, CliError> {
        self.check()?;
        target::block_on(async {
            let api = self.target.open().await?;
            match self.ids.is_empty() {
                true => self.many(&*api, common).await,
                false => self.named(&*api, common).await,
            }
        })
    }

    fn check(&self) -> Result<(), CliError> {
        if !self.ids.is_empty() && !self.filter.is_empty() {
            return Err(CliError::usage("ids and filters cannot be combined")
                .with_help("pass either task ids or filter flags"));
        }
        if let Some(status) = self.filter.status.filter(|status| !status.is_ended()) {
            let help = "use --status completed, failed or cancelled; to run a scheduled task now, use \
                        `steadfast tasks run-now`";
            return Err(CliError::usage(format!(
                "cannot requeue {status} tasks: only finished tasks can be requeued"
            ))
            .with_help(help));
        }
        if self.ids.is_empty() && self.filter.is_empty() {
            return Err(CliError::usage("no tasks selected")
                .with_help("pass task ids, or a filter such as --status failed"));
        }
        Ok(())
    }

    async fn named(&self, api: &dyn Api, common: &Common) -> Result<Exit, CliError> {
        let how = RequeueOne { fresh: !self.keep_count, keep_time: self.keep_time };
        let done = |task: &TaskView| format!("requeued {}", task.id);
        batch::apply(&self.ids, done, common, async |id| api.requeue(id, how).await).await
    }

    async fn many(&self, api: &dyn Api, common: &Common) -> Result<Exit, CliError> {
        let mut filter = self.filter.filter(api.now().await?);
        let status = *filter.status.get_or_insert(Status::Failed);
        let mut which = RequeueMany {
            filter,
            all: false,
            fresh: !self.keep_count,
            rate: self.rate,
            limit: self.limit,
            dry_run: true,
        };
        let preview = api.requeue_all(&which).await?;
        let is_confirmed = self.is_confirmed(&preview, status)?;
        let requeued = match is_confirmed {
            true => {
                which.dry_run = false;
                api.requeue_all(&which).await?
            }
            false => preview,
        };
        let is_declined = !is_confirmed && !self.dry_run && requeued.count > 0;
        common.print(&RequeueResult { requeued, status, is_declined })?;
        if requeued.count == 0
            && let Some(hint) = self.filter.unknown_queue_hint(api).await?
        {
            note(&hint);
        }
        Ok(Exit::Success)
    }

    fn is_confirmed(&self, preview: &Requeued, status: Status) -> Result<bool, CliError> {
        if self.dry_run || preview.count == 0 {
            return Ok(false);
        }
        confirm::ask(&format!("requeue {}", describe(preview, status)), self.yes)
    }
}

fn describe(requeued: &Requeued, status: Status) -> String {
    let count = usize::try_from(requeued.count).unwrap_or(usize::MAX);
    let tasks = counted(count, &format!("{status} task"), &format!("{status} tasks"));
    match requeued.over {
        Duration::ZERO => tasks,
        over => format!("{tasks} over {}", human_duration(over)),
    }
}

#[derive(Serialize)]
#[serde(transparent)]
struct RequeueResult {
    requeued: Requeued,
    #[serde(skip)]
    status: Status,
    #[serde(skip)]
    is_declined: bool,
}

impl Printable for RequeueResult {
    fn write_text(&self, page: &mut dyn Write) -> io::Result<()> {
        if self.is_declined {
            return writeln!(page, "cancelled; nothing requeued");
        }
        let what = describe(&self.requeued, self.status);
        match self.requeued {
            Requeued { count: 0, .. } => writeln!(page, "no matching {} tasks", self.status),
            Requeued { dry_run: true, .. } => {
                writeln!(page, "nothing changed; would requeue {what}")
            }
            _ => writeln!(page, "requeued {what}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// D16: rates have a unit of time.
    #[test]
    fn rate_is_parsed_per_unit_of_time() {
        assert_eq!(rate("50/s"), Ok(50.0));
        assert_eq!(rate("300/min"), Ok(5.0));
        assert_eq!(rate("2.5"), Ok(2.5));
        for wrong in ["", "0/s", "-1/s", "fast", "50/week", "inf/s", "NaN"] {
            assert!(rate(wrong).unwrap_err().contains("50/s"), "{wrong}");
        }
    }

    #[test]
    fn declined_requeue_is_reported_as_cancelled() {
        let json = r#"{"count": 3, "over": 0, "dry_run": true}"#;
        let requeued: Requeued = serde_json::from_str(json).unwrap();
        let result = RequeueResult { requeued, status: Status::Failed, is_declined: true };
        let mut page = Vec::new();
        result.write_text(&mut page).unwrap();
        assert_eq!(page, b"cancelled; nothing requeued\n");
    }
}
