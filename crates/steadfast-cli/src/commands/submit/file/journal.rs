//! What a bulk submission remembers of itself, beside its file.
//!
//! The journal is only ever added to, a line at a time, so that a process that is killed in the
//! middle leaves at most a last line that cannot be read and means nothing. Before a batch is
//! sent it says so, with the digest of everything up to its end; when the store has answered it
//! says that, too. So whoever goes on knows three parts of the file: what was kept, what may have
//! been kept (it is sent again, under the same ids), and the rest, which may have changed since.
//!
//! Only the first line is flushed to the disk. What a power cut takes of the others is sent
//! again, and the store knows it already.

use std::fs::{File, OpenOptions, TryLockError};
use std::io::{self, BufRead, BufReader, Write};
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use super::run_id::RunId;
use super::tally::Tally;
use crate::error::CliError;

/// What is behind the name of the file.
const JOURNAL_SUFFIX: &str = ".steadfast-progress";

/// The version of the journal's own form.
const JOURNAL_VERSION: u32 = 1;

/// The first line.
#[derive(Debug, Serialize, Deserialize)]
struct Header {
    steadfast_submit: u32,
    run: String,
    store: String,
}

/// Every other line.
#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
enum Entry {
    /// These are about to be sent: so many tasks from the first of the file on.
    Sending { tasks: u64, digest: String },
    /// The store has them.
    #[serde(rename = "kept")]
    Stored(Checkpoint),
    /// All of them are kept.
    Done(Checkpoint),
}

/// What the store has.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Checkpoint {
    /// Tasks of the file that were dealt with, taken or set aside.
    pub(super) tasks: u64,
    /// The line that the last of them begins on.
    pub(super) line: u64,
    /// Those that were there already.
    pub(super) existed: u64,
    /// Those that were set aside, and how long the file is that they are in.
    pub(super) rejected: u64,
    pub(super) rejected_bytes: u64,
}

/// A point in the file, and the digest up to it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Point {
    pub(super) tasks: u64,
    digest: String,
}

impl Point {
    fn of(tally: &Tally) -> Self {
        Self { tasks: tally.tasks, digest: tally.digest().to_string() }
    }

    pub(super) fn is(&self, tally: &Tally) -> bool {
        *self == Self::of(tally)
    }
}

/// What an previous run left behind.
#[derive(Debug)]
pub(super) struct PreviousRun {
    pub(super) run: RunId,
    pub(super) store: String,
    pub(super) kept: Checkpoint,
    pub(super) is_done: bool,
    /// Where what is kept ends; nothing if nothing is.
    pub(super) kept_to: Option<Point>,
    /// Where what may be kept ends.
    pub(super) sent_to: Option<Point>,
}

/// The journal of a file.
#[derive(Debug)]
pub(super) struct Journal {
    path: PathBuf,
    file: File,
}

/// Where the journal of a file is.
pub(super) fn beside(file: &Path) -> PathBuf {
    let mut path = file.as_os_str().to_owned();
    path.push(JOURNAL_SUFFIX);
    path.into()
}

impl Journal {
    /// Opens the journal at this place, and reads what is there already. Nobody else may be at
    /// it.
    pub(super) fn open(path: &Path) -> Result<(Self, Option<PreviousRun>), CliError> {
        let opened = OpenOptions::new().read(true).append(true).create(true).open(path);
        let file = opened.map_err(|why| unwritable(path, &why))?;
        match file.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => return Err(at_it(path)),
            Err(TryLockError::Error(why)) => return Err(unwritable(path, &why)),
        }
        let (previous, is_cut_off) = read(&file, path)?;
        let mut journal = Self { path: path.to_owned(), file };
        if is_cut_off {
            let ended = journal.file.write_all(b"\n");
            ended.map_err(|why| unwritable(path, &why))?;
        }
        Ok((journal, previous))
    }

    /// Begins a run. It is on the disk before anything is in a store.
    pub(super) fn begin(&mut self, run: RunId, store: &str) -> Result<(), CliError> {
        let head = Header {
            steadfast_submit: JOURNAL_VERSION,
            run: run.to_string(),
            store: store.to_owned(),
        };
        let begun = self.file.set_len(0).and_then(|()| self.write(&head));
        let begun = begun.and_then(|()| self.file.sync_all());
        begun.map_err(|why| unwritable(&self.path, &why))
    }

    /// Everything up to here is about to be sent.
    pub(super) fn sending(&mut self, to: &Tally) -> Result<(), CliError> {
        let Point { tasks, digest } = Point::of(to);
        self.add(&Entry::Sending { tasks, digest })
    }

    /// The store has this.
    pub(super) fn kept(&mut self, kept: Checkpoint) -> Result<(), CliError> {
        self.add(&Entry::Stored(kept))
    }

    /// The store has everything.
    pub(super) fn done(&mut self, kept: Checkpoint) -> Result<(), CliError> {
        self.add(&Entry::Done(kept))
    }

    /// Nobody will go on.
    pub(super) fn remove(self) -> Result<(), CliError> {
        std::fs::remove_file(&self.path).map_err(|why| unwritable(&self.path, &why))
    }

    fn add(&mut self, entry: &Entry) -> Result<(), CliError> {
        self.write(entry).map_err(|why| unwritable(&self.path, &why))
    }

    /// One line in one call, so that it is there as a whole or not at all.
    fn write(&mut self, line: &impl Serialize) -> io::Result<()> {
        let mut text = serde_json::to_vec(line)?;
        text.push(b'\n');
        self.file.write_all(&text)
    }
}

/// What is in a journal, as far as it can be read, and whether its last line was cut off.
fn read(file: &File, path: &Path) -> Result<(Option<PreviousRun>, bool), CliError> {
    let mut lines = Lines { input: BufReader::new(file), line: Vec::new() };
    let mut next = || lines.next().map_err(|why| unwritable(path, &why));
    let Some((head, is_whole)) = next()? else {
        return Ok((None, false));
    };
    // Nothing was sent before the first line was whole.
    if !is_whole && (HEADER_PREFIX.starts_with(&head) || head.starts_with(HEADER_PREFIX)) {
        return Ok((None, true));
    }
    let mut previous = PreviousRun::after(&head).ok_or_else(|| strange(path))?;
    let mut is_cut_off = false;
    while let Some((line, is_whole)) = next()? {
        is_cut_off = !is_whole;
        // One that cannot be read was being written when its process ended. Whoever went on
        // then has said everything again.
        if let Ok(entry) = serde_json::from_slice(&line) {
            previous.take(entry);
        }
    }
    Ok((Some(previous), is_cut_off))
}

/// How every journal begins.
const HEADER_PREFIX: &[u8] = b"{\"steadfast_submit\":";

struct Lines<R> {
    input: R,
    line: Vec<u8>,
}

impl<R: BufRead> Lines<R> {
    /// The next line, and whether it has an end.
    fn next(&mut self) -> io::Result<Option<(Vec<u8>, bool)>> {
        self.line.clear();
        if self.input.read_until(b'\n', &mut self.line)? == 0 {
            return Ok(None);
        }
        let is_whole = self.line.pop_if(|byte| *byte == b'\n').is_some();
        Ok(Some((self.line.clone(), is_whole)))
    }
}

impl PreviousRun {
    /// Nothing but the first line is known.
    fn after(head: &[u8]) -> Option<Self> {
        let head: Header = serde_json::from_slice(head).ok()?;
        if head.steadfast_submit != JOURNAL_VERSION {
            return None;
        }
        Some(Self {
            run: head.run.parse().ok()?,
            store: head.store,
            kept: Checkpoint::default(),
            is_done: false,
            kept_to: None,
            sent_to: None,
        })
    }

    fn take(&mut self, entry: Entry) {
        match entry {
            Entry::Sending { tasks, digest } => self.sent_to = Some(Point { tasks, digest }),
            Entry::Stored(kept) => self.keep(kept),
            Entry::Done(kept) => {
                self.keep(kept);
                self.is_done = true;
            }
        }
    }

    fn keep(&mut self, kept: Checkpoint) {
        self.kept = kept;
        if self.sent_to.as_ref().is_some_and(|sent| sent.tasks == kept.tasks) {
            self.kept_to.clone_from(&self.sent_to);
        }
    }
}

fn unwritable(path: &Path, why: &io::Error) -> CliError {
    let what = format!("{}, which says how far it is, cannot be used: {why}", path.display());
    CliError::failed(what).with_help(
        "name another file for it with --progress-file, or do without it with --no-progress-file"
            .to_owned(),
    )
}

fn strange(path: &Path) -> CliError {
    CliError::usage(format!("{} was not written by this command", path.display())).with_help(
        "remove it to submit everything from the first line on, or name another file with \
         --progress-file"
            .to_owned(),
    )
}

fn at_it(path: &Path) -> CliError {
    CliError::failed(format!(
        "another process is submitting this file: it holds {}",
        path.display()
    ))
    .with_help("wait for its end".to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tally(tasks: u64) -> Tally {
        let mut tally = Tally::default();
        (1..=tasks).for_each(|line| tally.add(line, b"{}"));
        tally
    }

    fn kept(tasks: u64) -> Checkpoint {
        Checkpoint { tasks, line: tasks, ..Checkpoint::default() }
    }

    fn place() -> (tempfile::TempDir, PathBuf) {
        let folder = tempfile::tempdir().unwrap();
        let path = beside(&folder.path().join("tasks.jsonl"));
        (folder, path)
    }

    fn previous(path: &Path) -> PreviousRun {
        Journal::open(path).unwrap().1.unwrap()
    }

    /// Three parts: what is kept, what may be, and the rest.
    #[test]
    fn a_journal_tells_what_is_kept_and_what_may_be() {
        let (_folder, path) = place();
        let (mut journal, before) = Journal::open(&path).unwrap();
        assert!(before.is_none());
        let run = RunId::fresh();
        journal.begin(run, "sqlite:tasks.db").unwrap();
        for tasks in [1000, 2000] {
            journal.sending(&tally(tasks)).unwrap();
            journal.kept(kept(tasks)).unwrap();
        }
        journal.sending(&tally(3000)).unwrap();
        drop(journal);
        let found = previous(&path);
        assert_eq!((found.run, found.store.as_str()), (run, "sqlite:tasks.db"));
        assert_eq!((found.kept, found.is_done), (kept(2000), false));
        assert!(found.kept_to.unwrap().is(&tally(2000)));
        assert!(found.sent_to.unwrap().is(&tally(3000)));
    }

    /// A kill in the middle of a line costs that line and nothing else.
    #[test]
    fn a_line_that_was_cut_off_means_nothing() {
        let (_folder, path) = place();
        let (mut journal, _) = Journal::open(&path).unwrap();
        journal.begin(RunId::fresh(), "s").unwrap();
        journal.sending(&tally(10)).unwrap();
        journal.kept(kept(10)).unwrap();
        drop(journal);
        let whole = std::fs::read(&path).unwrap();
        for cut in 1..40 {
            std::fs::write(&path, &whole[..whole.len() - cut]).unwrap();
            let found = previous(&path);
            assert_eq!(found.sent_to.unwrap().tasks, 10);
            assert!([0, 10].contains(&found.kept.tasks));
        }
        let (mut journal, found) = Journal::open(&path).unwrap();
        assert_eq!(found.unwrap().kept.tasks, 0);
        journal.sending(&tally(10)).unwrap();
        journal.done(kept(10)).unwrap();
        drop(journal);
        let found = previous(&path);
        assert_eq!((found.kept.tasks, found.is_done), (10, true));
    }

    #[test]
    fn a_journal_without_a_whole_first_line_is_as_good_as_none() {
        let (_folder, path) = place();
        for text in ["", "{", r#"{"steadfast_submit":1,"ru"#] {
            std::fs::write(&path, text).unwrap();
            let (mut journal, found) = Journal::open(&path).unwrap();
            assert!(found.is_none(), "{text}");
            journal.begin(RunId::fresh(), "s").unwrap();
            drop(journal);
            assert_eq!(previous(&path).store, "s");
        }
    }

    #[test]
    fn a_file_of_somebody_else_is_left_alone() {
        let (_folder, path) = place();
        std::fs::write(&path, "my notes\n").unwrap();
        assert!(Journal::open(&path).is_err());
        assert_eq!(std::fs::read_to_string(&path).unwrap(), "my notes\n");
    }

    #[test]
    fn two_cannot_be_at_it() {
        let (_folder, path) = place();
        let _held = Journal::open(&path).unwrap();
        let told = Journal::open(&path).unwrap_err().to_string();
        assert!(told.starts_with("another process is submitting this file"), "{told}");
    }
}
