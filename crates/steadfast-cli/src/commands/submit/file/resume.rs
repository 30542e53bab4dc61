//! Where a submission begins: at the first line, or where an previous run stopped.

use std::path::Path;

use super::batch::Batches;
use super::journal::{self, Checkpoint, Journal, Point, PreviousRun};
use super::run_id::RunId;
use super::{FileFlags, open, stop_error};
use crate::error::CliError;

/// Where it begins.
#[derive(Debug)]
pub(super) struct Start {
    pub(super) run: RunId,
    /// What is in the store already, and how many bytes of the file that was.
    pub(super) kept: Checkpoint,
    pub(super) bytes: u64,
    /// Where it is written down. Nobody can go on with a pipe.
    pub(super) journal: Option<Journal>,
}

impl Start {
    pub(super) fn of_stdin(resume: bool) -> Result<Self, CliError> {
        if resume {
            return Err(CliError::usage("stdin cannot be gone on with: what was read is gone")
                .with_help("put it into a file and submit that".to_owned()));
        }
        Ok(Self { run: RunId::fresh(), kept: Checkpoint::default(), bytes: 0, journal: None })
    }

    /// The beginning of a file that goes into this store.
    pub(super) fn of_file(file: &Path, flags: &FileFlags, store: &str) -> Result<Self, CliError> {
        // A file that is not there needs no journal.
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
            let run = RunId::fresh();
            journal.begin(run, store)?;
            let kept = Checkpoint::default();
            return Ok(Self { run, kept, bytes: 0, journal: Some(journal) });
        };
        if previous.store != store {
            return Err(elsewhere(&previous.store, &path));
        }
        let bytes = is_same(file, &previous, &path)?;
        Ok(Self { run: previous.run, kept: previous.kept(), bytes, journal: Some(journal) })
    }
}

impl PreviousRun {
    /// What is kept for sure: up to where the file is known to be the same.
    fn kept(&self) -> Checkpoint {
        match &self.kept_to {
            Some(to) if to.tasks == self.kept.tasks => self.kept,
            _ => Checkpoint::default(),
        }
    }
}

/// Whether the file has the same tasks as before, up to where some of them may be in the store.
/// How many bytes it has up to where they are for sure.
fn is_same(file: &Path, previous: &PreviousRun, journal: &Path) -> Result<u64, CliError> {
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
        Some(sent_to) if reached(sent_to)?.is_none() => Err(doubtful(file, previous, sent_to)),
        _ => Ok(bytes),
    }
}

fn unfinished(file: &Path, previous: &PreviousRun) -> CliError {
    let kept = previous.kept();
    CliError::usage(format!(
        "an previous run has submitted {} tasks of {}, up to line {}, and stopped",
        kept.tasks - kept.rejected,
        file.display(),
        kept.line,
    ))
    .with_help(
        "go on behind them with --resume, or submit everything once more with --restart".to_owned(),
    )
}

fn elsewhere(store: &str, journal: &Path) -> CliError {
    CliError::usage(format!("the previous run put its tasks into another store: {store}"))
        .with_help(format!(
            "go on there with --store, or submit the whole file here with --restart (its progress \
             is in {})",
            journal.display()
        ))
}

fn changed(file: &Path, previous: &PreviousRun, journal: &Path) -> CliError {
    let Checkpoint { line, .. } = previous.kept;
    CliError::usage(format!(
        "{} has changed: up to line {line} it is not what the previous run has submitted",
        file.display()
    ))
    .with_help(format!(
        "bring back the file as it was (behind line {line} it may be changed), or submit all of it \
         with --restart (the previous progress is in {})",
        journal.display()
    ))
}

fn doubtful(file: &Path, previous: &PreviousRun, sent_to: &Point) -> CliError {
    let tasks = sent_to.tasks - previous.kept.tasks;
    CliError::usage(format!(
        "{} has changed behind line {}, where the previous run was killed: the next {tasks} tasks \
         may have been submitted",
        file.display(),
        previous.kept.line,
    ))
    .with_help("bring them back as they were, go on with --resume, and change them then".to_owned())
}
