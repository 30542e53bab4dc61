//! The three files of a store: whose they are, how long, and whether they can be written.

use std::ffi::OsString;
use std::fs::Metadata;
use std::path::{Path, PathBuf};

use crate::health::{Seen, StoreFile, Unseen};

/// The files that are there.
pub(super) struct Files {
    pub(super) file: StoreFile,
    pub(super) log: Option<StoreFile>,
    pub(super) index: Option<StoreFile>,
}

/// Nothing if the store's file itself is not there.
pub(super) fn beside(path: &Path) -> Option<Files> {
    let file = look(path)?;
    Some(Files { file, log: look(&with(path, "-wal")), index: look(&with(path, "-shm")) })
}

/// The path of the file beside it that SQLite makes.
pub(super) fn with(path: &Path, suffix: &str) -> PathBuf {
    let mut name = OsString::from(path);
    name.push(suffix);
    name.into()
}

fn look(path: &Path) -> Option<StoreFile> {
    let found = std::fs::metadata(path).ok().filter(Metadata::is_file)?;
    let (owner, mode) = rights(&found);
    let writable = is_writable(path).unwrap_or(!found.permissions().readonly());
    Some(StoreFile { path: path.to_owned(), bytes: found.len(), owner, mode, writable })
}

/// Whether files can be made where this one is.
pub(super) fn can_make_beside(path: &Path) -> Seen<bool> {
    let directory = path.parent().filter(|parent| !parent.as_os_str().is_empty());
    is_writable(directory.unwrap_or(Path::new(".")))
        .ok_or_else(|| Unseen::because("this system does not tell"))
}

#[cfg(unix)]
fn rights(file: &Metadata) -> (Option<u32>, Option<u32>) {
    use std::os::unix::fs::MetadataExt;
    (Some(file.uid()), Some(file.mode() & 0o777))
}

#[cfg(unix)]
fn is_writable(path: &Path) -> Option<bool> {
    use rustix::fs::{Access, access};
    Some(access(path, Access::WRITE_OK).is_ok())
}

#[cfg(not(unix))]
fn rights(_: &Metadata) -> (Option<u32>, Option<u32>) {
    (None, None)
}

#[cfg(not(unix))]
fn is_writable(_: &Path) -> Option<bool> {
    None
}
