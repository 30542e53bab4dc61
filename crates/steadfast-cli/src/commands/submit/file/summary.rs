//! Output of a file submission.

use std::time::Duration;

use super::journal::Checkpoint;
use crate::commands::prelude::*;
use crate::output::human_duration;
use crate::output::seconds::Seconds;

#[derive(Debug, Serialize)]
pub(super) struct SubmitSummary {
    /// Tasks stored, including those of earlier runs.
    submitted: u64,
    existed: u64,
    rejected: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    rejected_to: Option<String>,
    /// Tasks processed by an earlier run.
    resumed_after: u64,
    seconds: Seconds,
}

impl SubmitSummary {
    pub(super) fn new(
        kept: Checkpoint,
        before: Checkpoint,
        rejected_to: Option<String>,
        took: Duration,
    ) -> Self {
        Self {
            submitted: kept.tasks - kept.rejected,
            existed: kept.existed,
            rejected: kept.rejected,
            rejected_to,
            resumed_after: before.tasks,
            seconds: Seconds(Duration::from_millis(took.as_millis() as u64)),
        }
    }
}

impl Printable for SubmitSummary {
    fn write_text(&self, page: &mut dyn Write) -> io::Result<()> {
        let tasks = counted(self.submitted as usize, "task", "tasks");
        let mut parts =
            vec![format!("{tasks} submitted in {}", human_duration::format(self.seconds.0))];
        if self.resumed_after > 0 {
            parts.push(format!("{} by an earlier run", self.resumed_after));
        }
        if self.existed > 0 {
            parts.push(format!("{} already existed", self.existed));
        }
        if let (true, Some(file)) = (self.rejected > 0, &self.rejected_to) {
            parts.push(format!(
                "{} written to {file}",
                counted(self.rejected as usize, "invalid line", "invalid lines")
            ));
        }
        writeln!(page, "{}", parts.join(", "))
    }
}

#[derive(Debug, Serialize)]
pub(super) struct CheckSummary {
    pub(super) dry_run: bool,
    pub(super) tasks: u64,
}

impl Printable for CheckSummary {
    fn write_text(&self, page: &mut dyn Write) -> io::Result<()> {
        let tasks = counted(self.tasks as usize, "task", "tasks");
        writeln!(page, "{tasks} would be submitted")
    }
}
