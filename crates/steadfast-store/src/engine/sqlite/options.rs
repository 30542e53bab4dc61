//! Where a store's file is, and how careful it is with it.
//!
//! `sqlite:PATH`, `sqlite://PATH` or `sqlite::memory:`, and behind a question mark what is to be
//! different: `synchronous=normal` (a power cut may take the last commits back, and a commit
//! costs no flush), `busy_timeout=10s` (how long another process may hold the file).

use std::path::{Path, PathBuf};
use std::time::Duration;

use sqlx::ConnectOptions;
use sqlx::sqlite::{SqliteConnectOptions, SqliteSynchronous};

use crate::error::{Result, StoreError};

/// How long another process may hold the file.
const BUSY_TIMEOUT: Duration = Duration::from_secs(5);

/// What a connection keeps of the file in memory, in KiB: enough for the upper parts of every
/// index and the tasks that are claimed next.
const CACHE: &str = "-32768";

/// What one that looks keeps. There are several, and what they look for is mostly new; the rest
/// is in the memory of the system anyway.
const READING_CACHE: &str = "-4096";

/// How many rows one that looks may be ahead of whoever reads them. They are read by another thread,
/// and each time one waits for the other costs more than the rows: a look at a thousand tasks spent
/// a quarter of its time so at the usual fifty.
const ROWS_AHEAD: usize = 1000;

/// Pages that the log may grow by before it is moved into the file. A page that is written many
/// times in between is moved once.
const CHECKPOINT: &str = "4000";

/// What the log may keep of the disk after a burst, in bytes.
const LOG_LIMIT: &str = "67108864";

/// What a store is opened by.
#[derive(Clone, Debug)]
pub(super) struct Options {
    url: String,
    /// Nothing is a store that lives in memory.
    path: Option<PathBuf>,
    synchronous: SqliteSynchronous,
    busy_timeout: Duration,
}

impl Options {
    pub(super) fn parse(url: &str) -> Result<Self> {
        let problem = |problem: String| StoreError::Url { url: url.to_owned(), problem };
        let rest = url.strip_prefix("sqlite:").ok_or_else(|| {
            problem("an SQLite store is written as sqlite:PATH or sqlite::memory:".to_owned())
        })?;
        let (place, settings) = rest.split_once('?').unwrap_or((rest, ""));
        let place = place.strip_prefix("//").unwrap_or(place);
        if place.is_empty() {
            return Err(problem("there is no path: write sqlite:PATH".to_owned()));
        }
        let mut options = Self {
            url: url.to_owned(),
            path: (place != ":memory:").then(|| PathBuf::from(place)),
            synchronous: SqliteSynchronous::Full,
            busy_timeout: BUSY_TIMEOUT,
        };
        for setting in settings.split('&').filter(|setting| !setting.is_empty()) {
            options.set(setting).map_err(problem)?;
        }
        Ok(options)
    }

    fn set(&mut self, setting: &str) -> Result<(), String> {
        let (name, value) = setting.split_once('=').unwrap_or((setting, ""));
        match name {
            "synchronous" => self.synchronous = synchronous(value)?,
            "busy_timeout" => {
                let timeout = steadfast::duration::parse(value);
                self.busy_timeout = timeout.map_err(|error| format!("{name}: {error}"))?;
            }
            _ => {
                return Err(format!(
                    "there is no setting `{name}`; there are synchronous and busy_timeout"
                ));
            }
        }
        Ok(())
    }

    /// The store's file, if it has one.
    pub(super) fn path(&self) -> Option<&Path> {
        self.path.as_deref()
    }

    pub(super) const fn busy_timeout(&self) -> Duration {
        self.busy_timeout
    }

    /// A connection that writes.
    pub(super) fn writing(&self) -> SqliteConnectOptions {
        let options = match &self.path {
            Some(path) => SqliteConnectOptions::new().filename(path).create_if_missing(true),
            None => SqliteConnectOptions::new().in_memory(true),
        };
        options
            .busy_timeout(self.busy_timeout)
            .synchronous(self.synchronous)
            .pragma("cache_size", CACHE)
            .pragma("wal_autocheckpoint", CHECKPOINT)
            .pragma("journal_size_limit", LOG_LIMIT)
            .disable_statement_logging()
    }

    /// Another one, to a file that was there.
    pub(super) fn writing_again(&self) -> SqliteConnectOptions {
        match self.path {
            Some(_) => self.writing().create_if_missing(false),
            None => self.writing(),
        }
    }

    /// A connection that looks.
    pub(super) fn reading(&self) -> SqliteConnectOptions {
        self.writing()
            .pragma("cache_size", READING_CACHE)
            .pragma("query_only", "ON")
            .row_buffer_size(ROWS_AHEAD)
    }

    /// The same to a file that is not made if it is not there.
    pub(super) fn looking(&self) -> SqliteConnectOptions {
        self.reading().create_if_missing(false)
    }

    /// What an error while opening means to whoever gave the URL.
    pub(super) fn explain(&self, error: StoreError) -> StoreError {
        let Some(path) = &self.path else {
            return error;
        };
        let problem = match &error {
            _ if path.is_dir() => "it is a directory: name a file in it",
            StoreError::Unreachable(_) if !has_directory(path) => {
                "its directory does not exist: create it first"
            }
            StoreError::Unreachable(_) => "it cannot be opened: look at who may read and write it",
            StoreError::Database(error) if has_code(error, SQLITE_NOTADB) => {
                "it is a file of another kind, not an SQLite database: name another one"
            }
            StoreError::Database(error) if has_code(error, SQLITE_READONLY) => {
                "it cannot be written: look at who may write the file and its directory"
            }
            _ => return error,
        };
        StoreError::Url { url: self.url.clone(), problem: problem.to_owned() }
    }
}

const SQLITE_READONLY: u32 = 8;
const SQLITE_NOTADB: u32 = 26;

/// Whether it is this code of SQLite's, or a special case of it.
fn has_code(error: &sqlx::Error, wanted: u32) -> bool {
    let code = error.as_database_error().and_then(|error| error.code()?.parse::<u32>().ok());
    code.is_some_and(|code| code & 0xff == wanted)
}

fn has_directory(path: &Path) -> bool {
    match path.parent() {
        Some(directory) if !directory.as_os_str().is_empty() => directory.is_dir(),
        _ => true,
    }
}

fn synchronous(value: &str) -> Result<SqliteSynchronous, String> {
    match value {
        "normal" => Ok(SqliteSynchronous::Normal),
        "full" => Ok(SqliteSynchronous::Full),
        _ => Err(format!("synchronous: `{value}` is neither full nor normal")),
    }
}
