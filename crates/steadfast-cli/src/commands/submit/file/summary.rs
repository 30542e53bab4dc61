//! What became of a file.

use std::io::{self, Write};
use std::time::Duration;

use serde::Serialize;

use super::journal::Checkpoint;
use crate::output::seconds::Seconds;
use crate::output::{Printable, counted, human_duration};

/// What became of a file that was submitted.
#[derive(Debug, Serialize)]
pub(super) struct SubmitSummary {
    /// Tasks that the store has now, those of earlier runs included.
    submitted: u64,
    /// Those of them that were there already.
    existed: u64,
    /// Tasks that were set aside.
    rejected: u64,
    /// Where they are.
    #[serde(skip_serializing_if = "Option::is_none")]
    rejected_to: Option<String>,
    /// Those that an earlier run had dealt with.
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

    /// The same in one line.
    fn in_short(&self) -> String {
        let tasks = counted(self.submitted as usize, "task", "tasks");
        let mut told =
            vec![format!("{tasks} submitted in {}", human_duration::format(self.seconds.0))];
        if self.resumed_after > 0 {
            told.push(format!("{} of them by an earlier run", self.resumed_after));
        }
        if self.existed > 0 {
            told.push(format!("{} were there already", self.existed));
        }
        if let (true, Some(file)) = (self.rejected > 0, &self.rejected_to) {
            told.push(format!(
                "{} set aside in {file}",
                counted(self.rejected as usize, "task", "tasks")
            ));
        }
        told.join(", ")
    }
}

impl Printable for SubmitSummary {
    fn write_text(&self, page: &mut dyn Write) -> io::Result<()> {
        writeln!(page, "{}", self.in_short())
    }
}

/// What would become of a file.
#[derive(Debug, Serialize)]
pub(super) struct CheckSummary {
    pub(super) dry_run: bool,
    pub(super) tasks: u64,
}

impl Printable for CheckSummary {
    fn write_text(&self, page: &mut dyn Write) -> io::Result<()> {
        let tasks = counted(self.tasks as usize, "task", "tasks");
        writeln!(page, "{tasks} would be submitted, nothing was")
    }
}
