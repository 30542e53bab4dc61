//! Connection options from a URL.
//!
//! `sqlite:PATH`, `sqlite://PATH` or `sqlite::memory:`, with optional parameters:
//! `synchronous=normal` (a commit does not flush the disk, and a power cut may lose the last
//! ones), `busy_timeout=10s` (how long another process may lock the file).

use std::path::{Path, PathBuf};
use std::time::Duration;

use sqlx::ConnectOptions;
use sqlx::sqlite::{SqliteConnectOptions, SqliteSynchronous};

use crate::error::{Result, StoreError, sqlite_code};

/// The time for which another process may lock the file.
const DEFAULT_BUSY_TIMEOUT: Duration = Duration::from_secs(5);

/// The page cache of the writer, in KiB (negative as SQLite wants it): enough for the upper
/// levels of every index and the tasks that are claimed next.
const WRITER_CACHE_KIB: &str = "-32768";

/// The page cache of a reader. There are several, and the system caches the file anyway.
const READER_CACHE_KIB: &str = "-4096";

/// The number of rows that a reader's thread may be ahead of the task that consumes them. Each
/// handover costs more than the rows: a read of a thousand tasks spent a quarter of its time on
/// them at the default of fifty.
const ROW_BUFFER_SIZE: usize = 1000;

/// The number of pages in the write-ahead log that starts a checkpoint. A page that is written
/// many times in between is moved once.
const CHECKPOINT_PAGES: &str = "4000";

/// The size to which the log is truncated after a burst, in bytes.
const LOG_LIMIT_BYTES: &str = "67108864";

#[derive(Clone, Debug)]
pub(super) struct Options {
    url: String,
    /// `None` in memory.
    path: Option<PathBuf>,
    synchronous: SqliteSynchronous,
    pub(super) busy_timeout: Duration,
}

impl Options {
    pub(super) fn parse(url: &str) -> Result<Self> {
        let problem = |problem: String| StoreError::Url { url: url.to_owned(), problem };
        let rest = url
            .strip_prefix("sqlite:")
            .ok_or_else(|| problem("use sqlite:PATH or sqlite::memory:".to_owned()))?;
        let (path, parameters) = rest.split_once('?').unwrap_or((rest, ""));
        let path = path.strip_prefix("//").unwrap_or(path);
        if path.is_empty() {
            return Err(problem("the path is missing; use sqlite:PATH".to_owned()));
        }
        let mut options = Self {
            url: url.to_owned(),
            path: (path != ":memory:").then(|| PathBuf::from(path)),
            synchronous: SqliteSynchronous::Full,
            busy_timeout: DEFAULT_BUSY_TIMEOUT,
        };
        for parameter in parameters.split('&').filter(|parameter| !parameter.is_empty()) {
            options.set(parameter).map_err(problem)?;
        }
        Ok(options)
    }

    fn set(&mut self, parameter: &str) -> Result<(), String> {
        let (name, value) = parameter.split_once('=').unwrap_or((parameter, ""));
        match name {
            "synchronous" => self.synchronous = synchronous(value)?,
            "busy_timeout" => {
                let timeout = steadfast::duration::parse(value);
                self.busy_timeout = timeout.map_err(|error| format!("{name}: {error}"))?;
            }
            _ => {
                return Err(format!("unknown parameter `{name}`; use synchronous or busy_timeout"));
            }
        }
        Ok(())
    }

    pub(super) fn path(&self) -> Option<&Path> {
        self.path.as_deref()
    }

    pub(super) fn writing(&self) -> SqliteConnectOptions {
        let options = match &self.path {
            Some(path) => SqliteConnectOptions::new().filename(path).create_if_missing(true),
            None => SqliteConnectOptions::new().in_memory(true),
        };
        options
            .busy_timeout(self.busy_timeout)
            .synchronous(self.synchronous)
            .pragma("cache_size", WRITER_CACHE_KIB)
            .pragma("wal_autocheckpoint", CHECKPOINT_PAGES)
            .pragma("journal_size_limit", LOG_LIMIT_BYTES)
            .disable_statement_logging()
    }

    /// The same without creating the file, to reconnect.
    pub(super) fn writing_again(&self) -> SqliteConnectOptions {
        match self.path {
            Some(_) => self.writing().create_if_missing(false),
            None => self.writing(),
        }
    }

    /// The options of a reading connection, which does not create the file.
    pub(super) fn reading(&self) -> SqliteConnectOptions {
        self.writing()
            .pragma("cache_size", READER_CACHE_KIB)
            .pragma("query_only", "ON")
            .row_buffer_size(ROW_BUFFER_SIZE)
            .create_if_missing(false)
    }

    /// An error of opening the file, with what to do about it.
    pub(super) fn explain(&self, error: StoreError) -> StoreError {
        let Some(path) = &self.path else {
            return error;
        };
        let problem = match &error {
            _ if path.is_dir() => "it is a directory: use a file in it",
            StoreError::Unreachable(_) if !has_directory(path) => {
                "its directory does not exist: create it first"
            }
            StoreError::Unreachable(_) => "it cannot be opened; check its permissions",
            StoreError::Database(error) if sqlite_code(error) == Some(SQLITE_NOTADB) => {
                "it is not an SQLite database; use another file"
            }
            StoreError::Database(error) if sqlite_code(error) == Some(SQLITE_READONLY) => {
                "it is read-only; check the permissions of the file and its directory"
            }
            _ => return error,
        };
        StoreError::Url { url: self.url.clone(), problem: problem.to_owned() }
    }
}

const SQLITE_READONLY: u32 = 8;
const SQLITE_NOTADB: u32 = 26;

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
        _ => Err(format!("synchronous: must be full or normal, not `{value}`")),
    }
}
