//! The file that was opened, and whether it still has its name.
//!
//! A file that is deleted or replaced under a program stays there for whoever has it open: tasks
//! would be taken in, answered for, and gone with the process. So before each look and each commit
//! the name is looked up, which takes a microsecond. While it leads elsewhere nothing is answered;
//! when the file is back under its name, all is as before.

use std::fs::Metadata;
use std::io;
use std::path::{Path, PathBuf};

#[derive(Clone, Debug)]
pub(super) struct OpenedFile {
    path: PathBuf,
    which: Which,
}

/// What tells a file from every other of the machine.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Which {
    #[cfg(unix)]
    device_and_number: (u64, u64),
}

impl Which {
    #[cfg(unix)]
    fn of(file: &Metadata) -> Self {
        use std::os::unix::fs::MetadataExt as _;
        Self { device_and_number: (file.dev(), file.ino()) }
    }

    #[cfg(not(unix))]
    fn of(_: &Metadata) -> Self {
        Self {}
    }
}

impl OpenedFile {
    pub(super) fn at(path: &Path) -> io::Result<Self> {
        let path = std::path::absolute(path)?;
        Ok(Self { which: Which::of(&path.metadata()?), path })
    }

    /// Whether its name leads to it.
    pub(super) fn check(&self) -> io::Result<()> {
        match self.path.metadata() {
            Ok(file) if Which::of(&file) == self.which => Ok(()),
            Ok(_) => Err(away(
                "another file took the name of the store's while it was open; stop the program, see \
                 that no -wal and -shm of the old file are beside the new one, and start it again",
            )),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Err(away(
                "the store's file was deleted or moved away while it was open; put it back under \
                 its name, or stop the program",
            )),
            Err(error) => Err(error),
        }
    }
}

fn away(what: &str) -> io::Error {
    io::Error::new(io::ErrorKind::NotFound, what)
}
