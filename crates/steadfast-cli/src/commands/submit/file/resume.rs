//! The start of a submission: at the first line, or where an earlier run stopped.

use std::path::Path;

use uuid::Uuid;

use super::batch::Batches;
use super::journal::{self, Checkpoint, Journal, Point, PreviousRun};
use super::{FileFlags, open, stop_error};
use crate::error::CliError;
use crate::output::counted;

#[derive(Debug)]
pub(super) struct Start {
    pub(super) run: Uuid,
    /// The part already stored, and its length in bytes.
    pub(super) kept: Checkpoint,
    pub(super) bytes: u64,
    /// The journal; a pipe has none.
    pub(super) journal: Option<Journal>,
}

impl Start {
    pub(super) fn of_stdin(resume: bool) -> Result<Self, CliError> {
        if resume {
            return Err(CliError::usage("cannot resume from stdin")
                .with_help("save the input to a file and submit that"));
        }
        Ok(Self { run: Uuid::now_v7(), kept: Checkpoint::default(), bytes: 0, journal: None })
    }

    pub(super) fn of_file(file: &Path, flags: &FileFlags, store: &str) -> Result<Self, CliError> {
        // Check that the file exists before creating a journal.
        drop(open(file)?);
        let path = flags.progress_file.clone().unwrap_or_else(|| journal::beside(file));
        let (mut journal, previous) = Journal::open(&path)?;
        let previous = match previous {
            Some(previous) if flags.resume => Some(previous),
            Some(previous) if !previous.is_done && !flags.restart => {
                return Err(unfinished(file, &previous));
            }
            _ => None,
        };
        let Some(previous) = previous else {
            let run = Uuid::now_v7();
            journal.begin(run, store)?;
            let kept = Checkpoint::default();
            return Ok(Self { run, kept, bytes: 0, journal: Some(journal) });
        };
        if previous.store != store {
            return Err(other_store(&previous.store, &path));
        }
        let bytes = verify_unchanged(file, &previous, &path)?;
        Ok(Self { run: previous.run, kept: previous.kept(), bytes, journal: Some(journal) })
    }
}

impl PreviousRun {
    /// The part that is stored for certain, up to the last verified position.
    fn kept(&self) -> Checkpoint {
        match &self.kept_to {
            Some(to) if to.tasks == self.kept.tasks => self.kept,
            _ => Checkpoint::default(),
        }
    }
}

/// Verifies that the file is unchanged up to the end of the possibly stored part, and returns the
/// length of the stored part in bytes.
fn verify_unchanged(file: &Path, previous: &PreviousRun, journal: &Path) -> Result<u64, CliError> {
    let mut batches = Batches::of(open(file)?);
    let mut reached = |point: &Point| {
        let found = batches.skip_to(point.tasks);
        let found = found.map_err(|why| stop_error::unreadable(file, &why))?;
        Ok::<_, CliError>((found && point.is(batches.tally())).then(|| batches.tally().bytes))
    };
    let mut bytes = 0;
    if let Some(kept_to) = &previous.kept_to {
        bytes = reached(kept_to)?.ok_or_else(|| changed(file, previous, journal))?;
    }
    match &previous.sent_to {
        Some(sent_to) if reached(sent_to)?.is_none() => {
            Err(possibly_submitted(file, previous, sent_to))
        }
        _ => Ok(bytes),
    }
}

fn unfinished(file: &Path, previous: &PreviousRun) -> CliError {
    let kept = previous.kept();
    CliError::usage(format!(
        "an earlier run submitted {} from {}, up to line {}, and stopped",
        counted((kept.tasks - kept.rejected) as usize, "task", "tasks"),
        file.display(),
        kept.line,
    ))
    .with_help("continue with --resume, or submit everything again with --restart")
}

fn other_store(store: &str, journal: &Path) -> CliError {
    CliError::usage(format!("the earlier run used another store: {store}")).with_help(format!(
        "continue there with --store, or submit the whole file here with --restart (the earlier \
             progress is in {})",
        journal.display()
    ))
}

fn changed(file: &Path, previous: &PreviousRun, journal: &Path) -> CliError {
    let Checkpoint { line, .. } = previous.kept;
    CliError::usage(format!(
        "{} has changed: up to line {line} it differs from what the earlier run submitted",
        file.display()
    ))
    .with_help(format!(
        "restore the file (it may differ after line {line}), or submit all of it with --restart (the \
         earlier progress is in {})",
        journal.display()
    ))
}

fn possibly_submitted(file: &Path, previous: &PreviousRun, sent_to: &Point) -> CliError {
    let tasks = counted((sent_to.tasks - previous.kept.tasks) as usize, "task", "tasks");
    CliError::usage(format!(
        "{} has changed after line {}, where the earlier run was killed: the next {tasks} may have \
         been submitted",
        file.display(),
        previous.kept.line,
    ))
    .with_help("restore them, continue with --resume, and change them afterwards")
}
