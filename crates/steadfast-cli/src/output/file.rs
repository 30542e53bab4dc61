//! Output files.

use std::fs::OpenOptions;
use std::io::{ErrorKind, Write};
use std::path::Path;

use crate::error::CliError;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum IfExists {
    /// Replace it: generated output can be generated again.
    Replace,
    /// Fail: it may have been edited.
    Refuse,
}

pub(crate) fn write(file: &Path, bytes: &[u8], if_exists: IfExists) -> Result<(), CliError> {
    let mut options = OpenOptions::new();
    match if_exists {
        IfExists::Replace => options.write(true).create(true).truncate(true),
        IfExists::Refuse => options.write(true).create_new(true),
    };
    let written = options.open(file).and_then(|mut file| file.write_all(bytes));
    written.map_err(|why| match why.kind() {
        ErrorKind::AlreadyExists => CliError::failed(format!("{} already exists", file.display()))
            .with_help("choose another file with -o, or pass --force to overwrite it"),
        _ => CliError::failed(format!("cannot write {}: {why}", file.display()))
            .with_help("choose a writable file with -o"),
    })
}
