//! Every line of a file, checked before any is submitted.

use std::io::BufRead;
use std::path::Path;

use super::batch::Batches;
use super::reading::{BadLine, Reading};
use super::stopped;
use super::told::Checked;
use crate::output::counted;
use crate::problem::Problem;

/// How many lines that are wrong are told one by one.
const TOLD: usize = 20;

/// Reads all of it; everything that is wrong is told at once.
pub(super) fn all(
    input: Box<dyn BufRead + Send>,
    reading: &Reading,
    file: &Path,
) -> Result<Checked, Problem> {
    let mut batches = Batches::of(input);
    let (mut problems, mut bad) = (Vec::new(), 0_usize);
    loop {
        let batch = match batches.next() {
            Ok(batch) if batch.is_empty() => break,
            Ok(batch) => batch,
            Err(unreadable) => {
                bad += 1;
                problems.push(stopped::unreadable(file, &unreadable));
                break;
            }
        };
        for BadLine { line, error, .. } in reading.read_thoroughly(&batch).bad {
            bad += 1;
            if problems.len() < TOLD {
                problems.push(stopped::bad(file, line, error));
            }
        }
    }
    if bad > TOLD {
        let more = counted(bad - TOLD, "line is wrong, too", "lines are wrong, too");
        problems.push(Problem::usage(more));
    }
    match Problem::all(problems) {
        Some(problem) => Err(problem),
        None => Ok(Checked { dry_run: true, tasks: batches.tally().tasks }),
    }
}
