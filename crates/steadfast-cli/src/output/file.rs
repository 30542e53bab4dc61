//! Answers that go to a file.

use std::fs::OpenOptions;
use std::io::{ErrorKind, Write};
use std::path::Path;

use crate::problem::Problem;

/// What becomes of a file that is there already.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum IfThere {
    /// It is replaced: what is drawn can be drawn again.
    Replace,
    /// It stays: somebody may have worked on it.
    Refuse,
}

/// Writes a file.
pub(crate) fn write(file: &Path, bytes: &[u8], if_there: IfThere) -> Result<(), Problem> {
    let mut options = OpenOptions::new();
    match if_there {
        IfThere::Replace => options.write(true).create(true).truncate(true),
        IfThere::Refuse => options.write(true).create_new(true),
    };
    let written = options.open(file).and_then(|mut file| file.write_all(bytes));
    written.map_err(|why| match why.kind() {
        ErrorKind::AlreadyExists => Problem::failed(format!("{} is there already", file.display()))
            .with_next("name another file with -o, or replace it with --force".to_owned()),
        _ => Problem::failed(format!("{} cannot be written: {why}", file.display()))
            .with_next("name a file that you may write with -o".to_owned()),
    })
}
