//! The facts of a store in an SQLite file.

use std::path::PathBuf;
use std::time::Duration;

use super::Fact;

/// What is SQLite's own.
#[derive(Clone, Debug)]
pub struct SqliteHealth {
    /// The file itself.
    pub file: StoreFile,
    /// The log beside it, `-wal`, while there is one.
    pub log: Option<StoreFile>,
    /// The log's index, `-shm`, while there is one.
    pub index: Option<StoreFile>,
    /// Whether files can be made beside it, as SQLite must.
    pub directory_writable: Fact<bool>,
    /// What is damaged, in SQLite's words; nothing if all is well.
    pub corruption: Fact<Vec<String>>,
    /// How changes are written: `wal`, or something else.
    pub journal: Fact<String>,
    /// How much of the file is used.
    pub pages: Fact<Pages>,
    /// Room on the disk.
    pub space: Fact<Space>,
    /// What the file is on.
    pub filesystem: Fact<Filesystem>,
    /// Whether somebody holds the lock for writing for longer than a write should take.
    pub locked: Fact<bool>,
    /// Who has the file open.
    pub holders: Fact<Vec<Holder>>,
    /// How far in the future the newest task was submitted, if it was: the clock was set back.
    pub ahead: Fact<Option<Duration>>,
}

/// One of the store's files.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StoreFile {
    /// Where it is.
    pub path: PathBuf,
    /// How long it is.
    pub bytes: u64,
    /// The number of the user whose it is, where users have numbers.
    pub owner: Option<u32>,
    /// Who may do what: the nine bits of `rwxrwxrwx`.
    pub mode: Option<u32>,
    /// Whether this process can write it.
    pub writable: bool,
}

/// How much of a file is used.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Pages {
    /// Bytes of each.
    pub size: u64,
    /// How many there are.
    pub count: u64,
    /// How many of them are empty.
    pub free: u64,
}

/// Room on a disk, in bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Space {
    /// For this user.
    pub free: u64,
    /// In all.
    pub total: u64,
}

/// What a file is on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Filesystem {
    /// As the system calls it: `ext4`, `nfs4`.
    pub kind: String,
    /// Whether it is on another machine, where locks and shared memory cannot be relied on.
    pub network: bool,
}

/// A process that has the file open.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Holder {
    /// Its id.
    pub pid: u32,
    /// What it is called, if that can be seen.
    pub name: Option<String>,
    /// What it does with the file just now.
    pub access: Access,
}

/// What a process does with a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Access {
    /// It has it open.
    Open,
    /// It is reading: what it reads stays in the log.
    Reading,
    /// It holds the lock for writing.
    Writing,
}
