//! Validation of all lines for `--dry-run`.

use std::io::BufRead;
use std::path::Path;

use super::batch::Batches;
use super::parser::TaskParser;
use super::stop_error;
use super::summary::CheckSummary;
use crate::error::CliError;
use crate::output::counted;

const MAX_REPORTED_LINES: usize = 20;

/// Validates all lines and reports all errors at once.
pub(super) fn all(
    input: Box<dyn BufRead + Send>,
    parser: &TaskParser,
    file: &Path,
) -> Result<CheckSummary, CliError> {
    let mut batches = Batches::of(input);
    let (mut problems, mut invalid) = (Vec::new(), 0_usize);
    loop {
        let batch = match batches.next() {
            Ok(batch) if batch.items.is_empty() => break,
            Ok(batch) => batch,
            Err(unreadable) => {
                invalid += 1;
                problems.push(stop_error::unreadable(file, &unreadable));
                break;
            }
        };
        for line in parser.read_thoroughly(&batch).bad {
            invalid += 1;
            if problems.len() < MAX_REPORTED_LINES {
                problems.push(stop_error::invalid(file, line));
            }
        }
    }
    if invalid > MAX_REPORTED_LINES {
        let more = counted(invalid - MAX_REPORTED_LINES, "more invalid line", "more invalid lines");
        problems.push(CliError::usage(more));
    }
    match CliError::all(problems) {
        Some(problem) => Err(problem),
        None => Ok(CheckSummary { dry_run: true, tasks: batches.tally().tasks }),
    }
}
