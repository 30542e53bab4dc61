//! The tokens file.
//!
//! Entries are appended in place: the file keeps its owner, permissions and links, by which a
//! server under another user reads it. A lock serializes concurrent writers.

use std::fs::{File, OpenOptions};
use std::io::{self, Read, Write};
use std::path::Path;

use steadfast::file::{Problems, Source};
use steadfast_server::Tokens;

use crate::error::CliError;

pub(super) fn read(file: &Path) -> Result<Tokens, CliError> {
    Tokens::read(file).map_err(|problems| file_error(&problems))
}

/// Appends an entry; the file is created if needed.
pub(super) fn add(path: &Path, entry: &str) -> Result<(), CliError> {
    let write_error = |why: io::Error| write_error(path, &why);
    let mut file = open(path).map_err(write_error)?;
    file.lock().map_err(write_error)?;
    let mut before = String::new();
    file.read_to_string(&mut before).map_err(write_error)?;
    let more = format!("{}{entry}", gap(&before));
    let after = Source::new(path.display().to_string(), &format!("{before}{more}"));
    Tokens::parse(&after).map_err(|problems| file_error(&problems))?;
    append(&mut file, &more).map_err(write_error)
}

/// A new file is readable only by its owner.
fn open(path: &Path) -> io::Result<File> {
    let mut options = OpenOptions::new();
    options.read(true).append(true).create(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options.open(path)
}

fn gap(before: &str) -> &'static str {
    match before {
        "" => "",
        before if before.ends_with('\n') => "\n",
        _ => "\n\n",
    }
}

/// Appends completely or not at all: a partial entry would invalidate the file.
fn append(file: &mut File, text: &str) -> io::Result<()> {
    let length = file.metadata()?.len();
    let written = file.write_all(text.as_bytes()).and_then(|()| file.sync_all());
    if written.is_err() {
        let _ = file.set_len(length);
    }
    written
}

pub(crate) fn file_error(problems: &Problems) -> CliError {
    let each = problems.as_slice().iter().map(|problem| {
        let mut problem = problem.clone();
        let next = problem.suggestion.take();
        CliError::configuration(problem.to_string()).maybe_help(next)
    });
    CliError::all(each).unwrap_or_else(|| CliError::configuration(problems.to_string()))
}

fn write_error(file: &Path, why: &io::Error) -> CliError {
    CliError::failed(format!("cannot write {}: {why}", file.display()))
        .with_help("choose a writable file with --into")
}
