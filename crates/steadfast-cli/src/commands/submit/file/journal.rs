//! The progress journal of a file submission, next to its file.
//!
//! The journal is append-only, one line per entry, so a killed process leaves at most an
//! incomplete last line, which is ignored. An entry is written before a batch is sent, with the
//! digest of the input up to its end, and another when the store has confirmed it. A resumed run
//! knows three parts of the file: stored, possibly stored (sent again with the same ids), and the
//! rest, which may have changed.
//!
//! Only the first line is flushed to disk. Entries lost in a power failure are sent again, and the
//! store recognizes the ids.

use std::fs::{File, OpenOptions, TryLockError};
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use uuid::Uuid;

use super::batch::Tally;
use crate::error::CliError;

const JOURNAL_SUFFIX: &str = ".steadfast-progress";

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
    /// A batch that ends here is about to be sent.
    Sending(Point),
    /// The store has confirmed the batch.
    #[serde(rename = "kept")]
    Stored(Checkpoint),
    Done(Checkpoint),
}

/// The part of the file that is stored.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Checkpoint {
    /// Tasks processed, stored or rejected.
    pub(super) tasks: u64,
    /// The line the last of them starts on.
    pub(super) line: u64,
    pub(super) existed: u64,
    /// Rejected tasks, and the length of the file they were written to.
    pub(super) rejected: u64,
    pub(super) rejected_bytes: u64,
}

/// A position in the file, with the digest up to it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Point {
    /// The tasks from the start of the file.
    pub(super) tasks: u64,
    digest: String,
}

impl Point {
    fn of(tally: &Tally) -> Self {
        Self { tasks: tally.tasks, digest: tally.digest() }
    }

    pub(super) fn is(&self, tally: &Tally) -> bool {
        *self == Self::of(tally)
    }
}

#[derive(Debug)]
pub(super) struct PreviousRun {
    pub(super) run: Uuid,
    pub(super) store: String,
    pub(super) kept: Checkpoint,
    pub(super) is_done: bool,
    /// The end of the stored part, if any.
    pub(super) kept_to: Option<Point>,
    /// The end of the possibly stored part.
    pub(super) sent_to: Option<Point>,
}

#[derive(Debug)]
pub(super) struct Journal {
    path: PathBuf,
    file: File,
}

pub(super) fn beside(file: &Path) -> PathBuf {
    let mut path = file.as_os_str().to_owned();
    path.push(JOURNAL_SUFFIX);
    path.into()
}

impl Journal {
    pub(super) fn open(path: &Path) -> Result<(Self, Option<PreviousRun>), CliError> {
        let opened = OpenOptions::new().read(true).append(true).create(true).open(path);
        let file = opened.map_err(|why| journal_error(path, &why))?;
        match file.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => return Err(locked(path)),
            Err(TryLockError::Error(why)) => return Err(journal_error(path, &why)),
        }
        let (previous, is_incomplete) = read(&file, path)?;
        let mut journal = Self { path: path.to_owned(), file };
        if is_incomplete {
            let ended = journal.file.write_all(b"\n");
            ended.map_err(|why| journal_error(path, &why))?;
        }
        Ok((journal, previous))
    }

    /// Starts a run. The entry is on disk before anything is submitted.
    pub(super) fn begin(&mut self, run: Uuid, store: &str) -> Result<(), CliError> {
        let head = Header {
            steadfast_submit: JOURNAL_VERSION,
            run: run.to_string(),
            store: store.to_owned(),
        };
        let started = self.file.set_len(0).and_then(|()| self.write(&head));
        let started = started.and_then(|()| self.file.sync_all());
        started.map_err(|why| journal_error(&self.path, &why))
    }

    /// Records that everything up to here is about to be sent.
    pub(super) fn sending(&mut self, to: &Tally) -> Result<(), CliError> {
        self.add(&Entry::Sending(Point::of(to)))
    }

    pub(super) fn kept(&mut self, kept: Checkpoint) -> Result<(), CliError> {
        self.add(&Entry::Stored(kept))
    }

    pub(super) fn done(&mut self, kept: Checkpoint) -> Result<(), CliError> {
        self.add(&Entry::Done(kept))
    }

    pub(super) fn remove(self) -> Result<(), CliError> {
        std::fs::remove_file(&self.path).map_err(|why| journal_error(&self.path, &why))
    }

    fn add(&mut self, entry: &Entry) -> Result<(), CliError> {
        self.write(entry).map_err(|why| journal_error(&self.path, &why))
    }

    /// Writes a line in one call, so that it is complete or missing.
    fn write(&mut self, line: &impl Serialize) -> io::Result<()> {
        let mut text = serde_json::to_vec(line)?;
        text.push(b'\n');
        self.file.write_all(&text)
    }
}

/// Reads a journal, and whether its last line is incomplete.
fn read(mut file: &File, path: &Path) -> Result<(Option<PreviousRun>, bool), CliError> {
    let mut bytes = Vec::new();
    file.read_to_end(&mut bytes).map_err(|why| journal_error(path, &why))?;
    let mut lines = bytes.split_inclusive(|byte| *byte == b'\n');
    let Some(head) = lines.next() else {
        return Ok((None, false));
    };
    // Nothing is sent before the first line is complete.
    let is_begun = HEADER_PREFIX.starts_with(head) || head.starts_with(HEADER_PREFIX);
    if is_begun && !head.ends_with(b"\n") {
        return Ok((None, true));
    }
    let mut previous = PreviousRun::after(head).ok_or_else(|| foreign_file(path))?;
    // An unreadable line was incomplete when its process was killed; the next run repeated it.
    let entries = lines.filter_map(|line| serde_json::from_slice(line).ok());
    entries.for_each(|entry| previous.take(entry));
    Ok((Some(previous), !bytes.ends_with(b"\n")))
}

const HEADER_PREFIX: &[u8] = b"{\"steadfast_submit\":";

impl PreviousRun {
    /// The state after the first line.
    fn after(head: &[u8]) -> Option<Self> {
        let head: Header = serde_json::from_slice(head).ok()?;
        if head.steadfast_submit != JOURNAL_VERSION {
            return None;
        }
        Some(Self {
            run: Uuid::try_parse(&head.run).ok()?,
            store: head.store,
            kept: Checkpoint::default(),
            is_done: false,
            kept_to: None,
            sent_to: None,
        })
    }

    fn take(&mut self, entry: Entry) {
        match entry {
            Entry::Sending(to) => self.sent_to = Some(to),
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

fn journal_error(path: &Path, why: &io::Error) -> CliError {
    let what = format!("cannot use the progress file {}: {why}", path.display());
    CliError::failed(what).with_help("use another file with --progress-file")
}

fn foreign_file(path: &Path) -> CliError {
    CliError::usage(format!("{} is not a progress file", path.display())).with_help(
        "remove it to submit everything from the first line, or use another file with \
         --progress-file",
    )
}

fn locked(path: &Path) -> CliError {
    CliError::failed(format!(
        "another process is submitting this file and holds {}",
        path.display()
    ))
    .with_help("wait until it has finished")
}

#[cfg(test)]
mod tests {
    use super::super::items::Item;
    use super::*;

    fn tally(tasks: u64) -> Tally {
        let mut tally = Tally::default();
        (1..=tasks).for_each(|line| tally.add(&Item { line, text: b"{}".to_vec() }));
        tally
    }

    fn kept(tasks: u64) -> Checkpoint {
        Checkpoint { tasks, line: tasks, ..Checkpoint::default() }
    }

    fn journal_path() -> (tempfile::TempDir, PathBuf) {
        let folder = tempfile::tempdir().unwrap();
        let path = beside(&folder.path().join("tasks.jsonl"));
        (folder, path)
    }

    fn previous(path: &Path) -> PreviousRun {
        Journal::open(path).unwrap().1.unwrap()
    }

    /// The stored and the possibly stored part are distinguished.
    #[test]
    fn journal_records_stored_and_possibly_stored_parts() {
        let (_folder, path) = journal_path();
        let (mut journal, before) = Journal::open(&path).unwrap();
        assert!(before.is_none());
        let run = Uuid::now_v7();
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

    /// A kill while writing loses only that line.
    #[test]
    fn incomplete_line_is_ignored() {
        let (_folder, path) = journal_path();
        let (mut journal, _) = Journal::open(&path).unwrap();
        journal.begin(Uuid::now_v7(), "s").unwrap();
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
    fn journal_without_complete_header_is_empty() {
        let (_folder, path) = journal_path();
        for text in ["", "{", r#"{"steadfast_submit":1,"ru"#] {
            std::fs::write(&path, text).unwrap();
            let (mut journal, found) = Journal::open(&path).unwrap();
            assert!(found.is_none(), "{text}");
            journal.begin(Uuid::now_v7(), "s").unwrap();
            drop(journal);
            assert_eq!(previous(&path).store, "s");
        }
    }

    #[test]
    fn foreign_file_is_not_overwritten() {
        let (_folder, path) = journal_path();
        std::fs::write(&path, "my notes\n").unwrap();
        assert!(Journal::open(&path).is_err());
        assert_eq!(std::fs::read_to_string(&path).unwrap(), "my notes\n");
    }

    #[test]
    fn journal_in_use_is_rejected() {
        let (_folder, path) = journal_path();
        let _held = Journal::open(&path).unwrap();
        let error = Journal::open(&path).unwrap_err().to_string();
        assert!(error.starts_with("another process is submitting this file"), "{error}");
    }
}
