//! Every line of a file, checked before any is submitted.

use std::io::BufRead;
use std::path::Path;

use super::batch::Batches;
use super::parser::{InvalidLine, TaskParser};
use super::stop_error;
use super::summary::CheckSummary;
use crate::error::CliError;
use crate::output::counted;

/// How many lines that are wrong are told one by one.
const MAX_REPORTED_LINES: usize = 20;

/// Reads all of it; everything that is wrong is told at once.
pub(super) fn all(
    input: Box<dyn BufRead + Send>,
    reading: &TaskParser,
    file: &Path,
) -> Result<CheckSummary, CliError> {
    let mut batches = Batches::of(input);
    let (mut problems, mut bad) = (Vec::new(), 0_usize);
    loop {
        let batch = match batches.next() {
            Ok(batch) if batch.is_empty() => break,
            Ok(batch) => batch,
            Err(unreadable) => {
                bad += 1;
                problems.push(stop_error::unreadable(file, &unreadable));
                break;
            }
        };
        for InvalidLine { line, error, .. } in reading.read_thoroughly(&batch).bad {
            bad += 1;
            if problems.len() < MAX_REPORTED_LINES {
                problems.push(stop_error::bad(file, line, error));
            }
        }
    }
    if bad > MAX_REPORTED_LINES {
        let more = counted(bad - MAX_REPORTED_LINES, "line is wrong, too", "lines are wrong, too");
        problems.push(CliError::usage(more));
    }
    match CliError::all(problems) {
        Some(problem) => Err(problem),
        None => Ok(CheckSummary { dry_run: true, tasks: batches.tally().tasks }),
    }
}
