//! `steadfast submit FILE`: a file of tasks, of any length.
//!
//! ```text
//!   items ──▶ batch ──▶ reading ══▶ send ──▶ the store
//!   (texts)   (tally)   (tasks,      │
//!                        ids)        ├──▶ journal   how far it is, for --resume
//!                                    ├──▶ rejects   what cannot be taken, for --skip-bad
//!                                    └──▶ progress
//! ```
//!
//! Left of the double line is a thread that reads ahead (`reader`). Nothing is ever submitted
//! twice, because a line has the same id in every run (`ids`); the journal says where to go on
//! (`resume`).

mod batch;
mod check;
mod interrupt;
mod items;
mod journal;
mod parser;
mod progress;
mod reader;
mod rejects;
mod resume;
mod run_id;
mod send;
mod stop_error;
mod summary;
mod tally;

use std::fs::File;
use std::io::{self, BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use clap::Args;
use steadfast::duration;
use steadfast_api::PolicyChoice;

use super::task_flags::TaskFlags;
use crate::cli::Common;
use crate::error::CliError;
use crate::exit::Exit;
use crate::input;
use crate::target::{self, Target};
use interrupt::Interrupt;
use parser::TaskParser;
use progress::Progress;
use rejects::Rejects;
use resume::Start;
use run_id::RunId;
use send::Sending;
use summary::SubmitSummary;

/// How much of a file is read at a time.
const READ_BUFFER_BYTES: usize = 256 << 10;

/// What a file is submitted by.
#[derive(Debug, Args)]
pub(super) struct FileFlags {
    /// A file of tasks, one JSON object a line or a JSON array; - is stdin
    #[arg(value_name = "FILE")]
    file: Option<PathBuf>,

    /// Check every line, and submit nothing
    #[arg(long)]
    dry_run: bool,

    /// Go on where an earlier run stopped; begin if there was none
    #[arg(long, conflicts_with_all = ["dry_run", "restart"])]
    resume: bool,

    /// Begin at the first line again, whatever an earlier run has submitted
    #[arg(long, conflicts_with = "dry_run")]
    restart: bool,

    /// Set lines that are wrong aside in this file, and go on
    #[arg(long, value_name = "FILE", conflicts_with = "dry_run")]
    skip_bad: Option<PathBuf>,

    /// Where it is written down how far it is [default: FILE.steadfast-progress]
    #[arg(long, value_name = "FILE")]
    progress_file: Option<PathBuf>,

    /// How long a store that is away is waited for
    #[arg(long, value_name = "DURATION", value_parser = duration::parse, default_value = "10m")]
    patience: Duration,

    /// Show no progress
    #[arg(short, long)]
    quiet: bool,

    #[command(flatten)]
    task: TaskFlags,

    #[command(flatten)]
    target: Target,
}

impl FileFlags {
    pub(super) fn run(&self, common: &Common) -> Result<Exit, CliError> {
        let Some(file) = self.file.as_deref() else {
            return Err(CliError::usage("there is no FILE of tasks")
                .with_help("name one, or - for stdin; or submit http or command".to_owned()));
        };
        let known = self.target.policies(common)?;
        let said = self.task.defaults(common.config.as_deref())?;
        // A slip in a flag is told once, and not for each line.
        if let (Some(PolicyChoice::Named(name)), Some(known)) = (said.policy(), &known) {
            known.find(name)?;
        }
        let policies = known.map(|known| Arc::new(known.into_policies()));
        let reading = |run| TaskParser::new(said, policies, run);
        if self.dry_run {
            let checked = check::all(open(file)?, &reading(RunId::fresh()), file)?;
            common.output().print(&checked)?;
            return Ok(Exit::Success);
        }
        let store = self.target.identity()?;
        let start = match input::is_stdin(file) {
            true => Start::of_stdin(self.resume)?,
            false => Start::of_file(file, self, &store)?,
        };
        let told = target::block_on(self.submit(file, start, reading, common))?;
        common.output().print(&told)?;
        Ok(Exit::Success)
    }

    async fn submit(
        &self,
        file: &Path,
        start: Start,
        reading: impl FnOnce(RunId) -> TaskParser,
        common: &Common,
    ) -> Result<SubmitSummary, CliError> {
        let before = start.kept;
        let reading = Arc::new(reading(start.run));
        let rejects = self.skip_bad.as_deref();
        let rejects = rejects.map(|path| Rejects::open(path, before.rejected_bytes)).transpose()?;
        let input = open(file)?;
        let mut progress = Progress::new(self.quiet, length(file));
        progress.resume_from(before.tasks, start.bytes);
        let mut sending = Sending {
            api: self.target.open_or_create(common).await?,
            reading: reading.clone(),
            policy: send::store_retry_policy(self.patience)
                .map_err(|why| CliError::usage(why.to_string()))?,
            stop: Interrupt::listen(),
            journal: start.journal,
            rejects,
            progress,
            kept: before,
        };
        let batches = reader::start(input, reading, before.tasks, sending.rejects.is_some());
        let ended = sending.all(batches).await;
        sending.progress.end();
        let Sending { journal, kept, progress, .. } = sending;
        ended.map_err(|stopped| stopped.problem(file, kept, journal.is_some()))?;
        if let Some(mut journal) = journal {
            journal.done(kept)?;
            // Whoever goes on until it succeeds has to find out that it has.
            if !self.resume {
                journal.remove()?;
            }
        }
        let rejected_to = self.skip_bad.as_ref().map(|path| path.display().to_string());
        Ok(SubmitSummary::new(kept, before, rejected_to, progress.elapsed()))
    }
}

fn open(file: &Path) -> Result<Box<dyn BufRead + Send>, CliError> {
    if input::is_stdin(file) {
        return Ok(Box::new(BufReader::with_capacity(READ_BUFFER_BYTES, io::stdin())));
    }
    let opened = File::open(file).and_then(|opened| match opened.metadata()?.is_dir() {
        true => Err(io::ErrorKind::IsADirectory.into()),
        false => Ok(opened),
    });
    let opened = opened.map_err(|why| {
        CliError::usage(format!("{} cannot be read: {why}", file.display()))
            .with_help("name a file of tasks, or - for stdin".to_owned())
    })?;
    Ok(Box::new(BufReader::with_capacity(READ_BUFFER_BYTES, opened)))
}

/// How long a file is, if it has a length.
fn length(file: &Path) -> Option<u64> {
    let found = std::fs::metadata(file).ok().filter(|_| !input::is_stdin(file));
    found.filter(std::fs::Metadata::is_file).map(|found| found.len())
}
