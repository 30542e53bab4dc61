//! The files of a store: their sizes, owners and permissions.

use std::ffi::OsString;
use std::fs::Metadata;
use std::path::{Path, PathBuf};

use crate::health::{Fact, StoreFile, Unavailable};

pub(in crate::engine::sqlite) fn with(path: &Path, suffix: &str) -> PathBuf {
    let mut name = OsString::from(path);
    name.push(suffix);
    name.into()
}

/// `None` if the file does not exist.
pub(super) fn store_file(path: &Path) -> Option<StoreFile> {
    let found = std::fs::metadata(path).ok().filter(Metadata::is_file)?;
    let (owner, mode) = rights(&found);
    let writable = is_writable(path).unwrap_or(!found.permissions().readonly());
    Some(StoreFile { path: path.to_owned(), bytes: found.len(), owner, mode, writable })
}

/// Whether files can be created in its directory.
pub(super) fn is_directory_writable(path: &Path) -> Fact<bool> {
    let directory = path.parent().filter(|parent| !parent.as_os_str().is_empty());
    is_writable(directory.unwrap_or(Path::new(".")))
        .ok_or_else(|| Unavailable::new("not supported on this system"))
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
