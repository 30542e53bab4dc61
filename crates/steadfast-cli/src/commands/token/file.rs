//! The tokens file: read with all that is wrong in it, and added to.
//!
//! An entry is added where the file is, and the file is not replaced: it keeps its owner, its
//! rights and its links, which a server that runs as another user reads it by. Whoever adds one
//! holds the file meanwhile, so that two at once are one after the other.

use std::fs::{File, OpenOptions};
use std::io::{self, Read, Write};
use std::path::Path;

use steadfast::file::Source;
use steadfast_server::{TokenProblems, Tokens};

use crate::error::CliError;

/// Reads a tokens file.
pub(super) fn read(file: &Path) -> Result<Tokens, CliError> {
    Tokens::read(file).map_err(|problems| file_error(&problems))
}

/// Adds an entry at the end of a file, which is made if it is not there.
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

/// A new file is for its owner alone.
fn open(path: &Path) -> io::Result<File> {
    let mut options = OpenOptions::new();
    options.read(true).append(true).create(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options.open(path)
}

/// What stands between an entry and what is before it.
fn gap(before: &str) -> &'static str {
    match before {
        "" => "",
        before if before.ends_with('\n') => "\n",
        _ => "\n\n",
    }
}

/// All of it or nothing: half an entry would be in the way of every other.
fn append(file: &mut File, text: &str) -> io::Result<()> {
    let length = file.metadata()?.len();
    let written = file.write_all(text.as_bytes()).and_then(|()| file.sync_all());
    if written.is_err() {
        let _ = file.set_len(length);
    }
    written
}

/// Everything that is wrong with a tokens file.
pub(crate) fn file_error(problems: &TokenProblems) -> CliError {
    let each = problems.as_slice().iter().map(|problem| {
        let mut problem = problem.clone();
        let next = problem.suggestion.take();
        CliError::configuration(problem.to_string()).with_help(next)
    });
    CliError::all(each).unwrap_or_else(|| CliError::configuration(problems.to_string()))
}

fn write_error(file: &Path, why: &io::Error) -> CliError {
    CliError::failed(format!("{} cannot be written: {why}", file.display()))
        .with_help("name a file that you may write with --into".to_owned())
}
