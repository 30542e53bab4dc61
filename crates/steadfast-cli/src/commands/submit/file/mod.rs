//! `steadfast submit FILE`: submission of a file of tasks of any size.
//!
//! ```text
//!   items ──▶ batch ──▶ parser ══▶ send ──▶ the store
//!   (texts)   (tally)   (tasks,     │
//!                        ids)       ├──▶ journal   progress, for --resume
//!                                   ├──▶ rejects   invalid tasks, for --skip-bad
//!                                   └──▶ progress
//! ```
//!
//! The left side of the double line runs on a thread that reads ahead (`reader`). No task is
//! submitted twice, because a line has the same id in every run (`run_id`); the journal records
//! where to continue (`resume`).

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

use std::fs::File;
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use steadfast::duration;
use steadfast_api::PolicyChoice;
use uuid::Uuid;

use super::task_flags::TaskFlags;
use crate::commands::prelude::*;
use crate::input;
use interrupt::Interrupt;
use parser::TaskParser;
use progress::Progress;
use rejects::Rejects;
use resume::Start;
use send::Submission;
use summary::SubmitSummary;

const READ_BUFFER_BYTES: usize = 256 << 10;

/// Flags of a file submission.
#[derive(Debug, Args)]
pub(super) struct FileFlags {
    /// File of tasks, one JSON object per line or a JSON array; - is stdin
    #[arg(value_name = "FILE")]
    file: Option<PathBuf>,

    /// Validate every line, and submit nothing
    #[arg(long)]
    dry_run: bool,

    /// Continue where an earlier run stopped, or start if there was none
    #[arg(long, conflicts_with_all = ["dry_run", "restart"])]
    resume: bool,

    /// Start again at the first line, even if an earlier run was interrupted
    #[arg(long, conflicts_with = "dry_run")]
    restart: bool,

    /// Write invalid lines to this file, and continue
    #[arg(long, value_name = "FILE", conflicts_with = "dry_run")]
    skip_bad: Option<PathBuf>,

    /// Progress file [default: FILE.steadfast-progress]
    #[arg(long, value_name = "FILE")]
    progress_file: Option<PathBuf>,

    /// Time to wait for an unreachable store
    #[arg(long, value_name = "DURATION", value_parser = duration::parse, default_value = "10m")]
    store_timeout: Duration,

    /// The old name of --store-timeout.
    #[arg(long, value_parser = duration::parse, conflicts_with = "store_timeout", hide = true)]
    patience: Option<Duration>,

    /// Hide the progress display
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
            return Err(CliError::usage("no file of tasks given")
                .with_help("name one, or - for stdin, or use `submit http` or `submit command`"));
        };
        let catalog = self.target.policies(common)?;
        let defaults = self.task.defaults(common.config.as_deref())?;
        // An unknown policy in a flag is reported once, not for each line.
        if let (Some(PolicyChoice::Named(name)), Some(catalog)) = (&defaults.policy, &catalog) {
            catalog.find(name)?;
        }
        let policies = catalog.map(|catalog| Arc::new(catalog.policies));
        let parser = |run| TaskParser::new(defaults, policies, run);
        if self.dry_run {
            let checked = check::all(open(file)?, &parser(Uuid::now_v7()), file)?;
            return common.print(&checked);
        }
        let store = self.target.identity()?;
        let start = match input::is_stdin(file) {
            true => Start::of_stdin(self.resume)?,
            false => Start::of_file(file, self, &store)?,
        };
        let summary = target::block_on(self.submit(file, start, parser, common))?;
        common.print(&summary)
    }

    fn store_timeout(&self) -> Duration {
        if self.patience.is_some() {
            output::note("--patience is now --store-timeout");
        }
        self.patience.unwrap_or(self.store_timeout)
    }

    async fn submit(
        &self,
        file: &Path,
        start: Start,
        parser: impl FnOnce(Uuid) -> TaskParser,
        common: &Common,
    ) -> Result<SubmitSummary, CliError> {
        let before = start.kept;
        let parser = Arc::new(parser(start.run));
        let rejects = self.skip_bad.as_deref();
        let rejects = rejects.map(|path| Rejects::open(path, before.rejected_bytes)).transpose()?;
        let input = open(file)?;
        let mut progress = Progress::new(self.quiet, length(file));
        progress.resume_from(before.tasks, start.bytes);
        let mut submission = Submission {
            api: self.target.open_or_create(common).await?,
            parser: parser.clone(),
            policy: send::store_retry_policy(self.store_timeout())
                .map_err(|why| CliError::usage(why.to_string()))?,
            stop: Interrupt::listen(),
            journal: start.journal,
            rejects,
            progress,
            kept: before,
        };
        let batches = reader::start(input, parser, before.tasks, submission.rejects.is_some());
        let ended = submission.send_all(batches).await;
        submission.progress.end();
        let Submission { journal, kept, progress, .. } = submission;
        ended.map_err(|stopped| stopped.into_cli_error(file, kept, journal.is_some()))?;
        if let Some(mut journal) = journal {
            journal.done(kept)?;
            // With --resume the journal stays, so that repeating the command reports completion.
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
        CliError::usage(format!("cannot read {}: {why}", file.display()))
            .with_help("pass a file of tasks, or - for stdin")
    })?;
    Ok(Box::new(BufReader::with_capacity(READ_BUFFER_BYTES, opened)))
}

fn length(file: &Path) -> Option<u64> {
    let found = std::fs::metadata(file).ok().filter(|_| !input::is_stdin(file));
    found.filter(std::fs::Metadata::is_file).map(|found| found.len())
}
