//! Where a submission begins: at the first line, or where an earlier run stopped.

use std::path::Path;

use super::batch::Batches;
use super::ids::Run;
use super::journal::{self, Earlier, Journal, Kept, Point};
use super::{FileFlags, open, stopped};
use crate::problem::Problem;

/// Where it begins.
#[derive(Debug)]
pub(super) struct Start {
    pub(super) run: Run,
    /// What is in the store already, and how many bytes of the file that was.
    pub(super) kept: Kept,
    pub(super) bytes: u64,
    /// Where it is written down. Nobody can go on with a pipe.
    pub(super) journal: Option<Journal>,
}

impl Start {
    pub(super) fn of_stdin(resume: bool) -> Result<Self, Problem> {
        if resume {
            return Err(Problem::usage("stdin cannot be gone on with: what was read is gone")
                .with_next("put it into a file and submit that".to_owned()));
        }
        Ok(Self { run: Run::fresh(), kept: Kept::default(), bytes: 0, journal: None })
    }

    /// The beginning of a file that goes into this store.
    pub(super) fn of_file(file: &Path, flags: &FileFlags, store: &str) -> Result<Self, Problem> {
        // A file that is not there needs no journal.
        drop(open(file)?);
        let path = flags.progress_file.clone().unwrap_or_else(|| journal::beside(file));
        let (mut journal, earlier) = Journal::open(&path)?;
        let earlier = match earlier {
            Some(earlier) if flags.resume => Some(earlier),
            Some(earlier) if !earlier.is_done && !flags.restart => {
                return Err(unfinished(file, &earlier));
            }
            _ => None,
        };
        let Some(earlier) = earlier else {
            let run = Run::fresh();
            journal.begin(run, store)?;
            let kept = Kept::default();
            return Ok(Self { run, kept, bytes: 0, journal: Some(journal) });
        };
        if earlier.store != store {
            return Err(elsewhere(&earlier.store, &path));
        }
        let bytes = is_same(file, &earlier, &path)?;
        Ok(Self { run: earlier.run, kept: earlier.kept(), bytes, journal: Some(journal) })
    }
}

impl Earlier {
    /// What is kept for sure: up to where the file is known to be the same.
    fn kept(&self) -> Kept {
        match &self.kept_to {
            Some(to) if to.tasks == self.kept.tasks => self.kept,
            _ => Kept::default(),
        }
    }
}

/// Whether the file has the same tasks as before, up to where some of them may be in the store.
/// How many bytes it has up to where they are for sure.
fn is_same(file: &Path, earlier: &Earlier, journal: &Path) -> Result<u64, Problem> {
    let mut batches = Batches::of(open(file)?);
    let mut reached = |point: &Point| {
        let found = batches.skip_to(point.tasks);
        let found = found.map_err(|why| stopped::unreadable(file, &why))?;
        Ok::<_, Problem>((found && point.is(batches.tally())).then(|| batches.tally().bytes))
    };
    let mut bytes = 0;
    if let Some(kept_to) = &earlier.kept_to {
        bytes = reached(kept_to)?.ok_or_else(|| changed(file, earlier, journal))?;
    }
    match &earlier.sent_to {
        Some(sent_to) if reached(sent_to)?.is_none() => Err(doubtful(file, earlier, sent_to)),
        _ => Ok(bytes),
    }
}

fn unfinished(file: &Path, earlier: &Earlier) -> Problem {
    let kept = earlier.kept();
    Problem::usage(format!(
        "an earlier run has submitted {} tasks of {}, up to line {}, and stopped",
        kept.tasks - kept.rejected,
        file.display(),
        kept.line,
    ))
    .with_next(
        "go on behind them with --resume, or submit everything once more with --restart".to_owned(),
    )
}

fn elsewhere(store: &str, journal: &Path) -> Problem {
    Problem::usage(format!("the earlier run put its tasks into another store: {store}")).with_next(
        format!(
            "go on there with --store, or submit the whole file here with --restart (its progress \
             is in {})",
            journal.display()
        ),
    )
}

fn changed(file: &Path, earlier: &Earlier, journal: &Path) -> Problem {
    let Kept { line, .. } = earlier.kept;
    Problem::usage(format!(
        "{} has changed: up to line {line} it is not what the earlier run has submitted",
        file.display()
    ))
    .with_next(format!(
        "bring back the file as it was (behind line {line} it may be changed), or submit all of it \
         with --restart (the earlier progress is in {})",
        journal.display()
    ))
}

fn doubtful(file: &Path, earlier: &Earlier, sent_to: &Point) -> Problem {
    let tasks = sent_to.tasks - earlier.kept.tasks;
    Problem::usage(format!(
        "{} has changed behind line {}, where the earlier run was killed: the next {tasks} tasks \
         may have been submitted",
        file.display(),
        earlier.kept.line,
    ))
    .with_next("bring them back as they were, go on with --resume, and change them then".to_owned())
}
