//! Output files.

use std::fs::OpenOptions;
use std::io::{ErrorKind, Write};
use std::path::Path;

use crate::error::CliError;

/// Writes a file. Without `force`, an existing one is not replaced: it may have been edited.
pub(crate) fn write(file: &Path, bytes: &[u8], force: bool) -> Result<(), CliError> {
    let mut options = OpenOptions::new();
    options.write(true).create(force).truncate(force).create_new(!force);
    let written = options.open(file).and_then(|mut file| file.write_all(bytes));
    written.map_err(|why| match why.kind() {
        ErrorKind::AlreadyExists => CliError::failed(format!("{} already exists", file.display()))
            .with_help("choose another file with -o, or pass --force to overwrite it"),
        _ => CliError::failed(format!("cannot write {}: {why}", file.display()))
            .with_help("choose a writable file with -o"),
    })
}
