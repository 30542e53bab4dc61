//! A check that the path of a store still names the opened file.
//!
//! A file that is deleted or replaced stays accessible to the process that has it open: tasks would
//! be accepted, and lost with the process. So before each read and each commit the name is resolved,
//! which takes a microsecond. While it names another file, every call fails; once the file is back,
//! calls succeed again.

use std::fs::Metadata;
use std::io;
use std::path::{Path, PathBuf};

#[derive(Clone, Debug)]
pub(super) struct OpenedFile {
    path: PathBuf,
    identity: (u64, u64),
}

/// The device and the inode of a file.
#[cfg(unix)]
fn identity(file: &Metadata) -> (u64, u64) {
    use std::os::unix::fs::MetadataExt as _;
    (file.dev(), file.ino())
}

#[cfg(not(unix))]
fn identity(_: &Metadata) -> (u64, u64) {
    (0, 0)
}

impl OpenedFile {
    pub(super) fn at(path: &Path) -> io::Result<Self> {
        let path = std::path::absolute(path)?;
        Ok(Self { identity: identity(&path.metadata()?), path })
    }

    /// Fails unless the path still names the file.
    pub(super) fn check(&self) -> io::Result<()> {
        match self.path.metadata() {
            Ok(file) if identity(&file) == self.identity => Ok(()),
            Ok(_) => Err(moved(
                "another file took the name of the store's while it was open; stop the program, see \
                 that no -wal and -shm of the old file are beside the new one, and start it again",
            )),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Err(moved(
                "the store's file was deleted or moved away while it was open; put it back under \
                 its name, or stop the program",
            )),
            Err(error) => Err(error),
        }
    }
}

fn moved(what: &str) -> io::Error {
    io::Error::new(io::ErrorKind::NotFound, what)
}
