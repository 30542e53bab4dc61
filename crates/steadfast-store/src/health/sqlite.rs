//! Health facts of a store in an SQLite file.

use std::path::PathBuf;
use std::time::Duration;

use super::Fact;

/// The facts of an SQLite file.
#[derive(Clone, Debug)]
pub struct SqliteHealth {
    /// The file itself.
    pub file: StoreFile,
    /// The write-ahead log, `-wal`, if it exists.
    pub log: Option<StoreFile>,
    /// The index of the log, `-shm`, if it exists.
    pub index: Option<StoreFile>,
    /// Whether SQLite can create files in its directory.
    pub directory_writable: Fact<bool>,
    /// The errors of the integrity check; empty if the file is sound.
    pub corruption: Fact<Vec<String>>,
    /// The journal mode.
    pub journal: Fact<String>,
    /// The used pages.
    pub pages: Fact<Pages>,
    /// The space on the disk.
    pub space: Fact<Space>,
    /// The filesystem.
    pub filesystem: Fact<Filesystem>,
    /// Whether the write lock is held for longer than a write takes.
    pub locked: Fact<bool>,
    /// The processes that have the file open.
    pub holders: Fact<Vec<Holder>>,
    /// How far in the future the newest task was submitted, if the clock was set back.
    pub ahead: Fact<Option<Duration>>,
}

/// One of the store's files.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StoreFile {
    /// Its path.
    pub path: PathBuf,
    /// Its size.
    pub bytes: u64,
    /// The user id of its owner, on Unix.
    pub owner: Option<u32>,
    /// Its permission bits, on Unix.
    pub mode: Option<u32>,
    /// Whether this process can write it.
    pub writable: bool,
}

/// The pages of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Pages {
    /// The size of a page.
    pub size: u64,
    /// The number of pages.
    pub count: u64,
    /// The number of free pages.
    pub free: u64,
}

/// The space on a disk, in bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Space {
    /// Free for this user.
    pub free: u64,
    /// In total.
    pub total: u64,
}

/// A filesystem.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Filesystem {
    /// Its type: `ext4`, `nfs4`.
    pub kind: String,
    /// Whether it is a network filesystem, on which locks and shared memory are unreliable.
    pub network: bool,
}

/// A process that has the file open.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Holder {
    /// Its id.
    pub pid: u32,
    /// Its name, if readable.
    pub name: Option<String>,
    /// Its current access.
    pub access: Access,
}

/// The access of a process to a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Access {
    /// The file is open.
    Open,
    /// It reads, so that the log cannot be truncated.
    Reading,
    /// It holds the write lock.
    Writing,
}
