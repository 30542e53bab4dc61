//! Health checks of a store in an SQLite file.
//!
//! Only SQLite opens the files: when a process closes a file, the system drops every lock that
//! the process has on it, including those of a store that is open in this process. So sizes and
//! owners come from the directory, and the processes that have the file open from the system.

mod database;
pub(super) mod files;
mod holders;
mod tasks;

use std::time::Duration;

use sqlx::sqlite::SqliteConnectOptions;
use sqlx::{ConnectOptions, Connection as _};

use super::options::Options;
use crate::error::{Result, StoreError};
use crate::health::{EngineHealth, Health, SqliteHealth, work_unavailable};

const CHECK_TIMEOUT: Duration = Duration::from_secs(10);
/// The time after which a file counts as locked.
const LOCK_TIMEOUT: Duration = Duration::from_secs(1);

pub(crate) async fn examine(url: &str) -> Result<Health> {
    let options = Options::parse(url)?;
    let refuse = |problem: &str| StoreError::Url { url: url.to_owned(), problem: problem.into() };
    let path = options.path().ok_or_else(|| {
        refuse("a store in memory ends with its process: use a file, as sqlite:PATH")
    })?;
    let file = files::store_file(path).ok_or_else(|| match path.is_dir() {
        true => refuse("it is a directory: use a file in it"),
        false => refuse("there is no such file"),
    })?;
    let log = files::store_file(&files::with(path, "-wal"));
    let index = files::store_file(&files::with(path, "-shm"));
    // Does not create the file. Opened for writing if possible, because only a writer can see
    // whether it is locked, and removes the log.
    let opening = SqliteConnectOptions::new().filename(path).busy_timeout(LOCK_TIMEOUT);
    let opening = opening.pragma("query_only", "ON").disable_statement_logging();
    let connected = opening.connect().await.map_err(StoreError::from);
    let mut connection = connected.map_err(|error| options.explain(error))?;
    if let Err(error) = database::first_read(&mut connection).await {
        let error = options.explain(error);
        // The facts report every other error.
        if matches!(error, StoreError::Url { .. } | StoreError::Locked(_)) {
            return Err(error);
        }
    }
    let schema = tasks::schema(&mut connection).await;
    let (work, ahead) = match work_unavailable(&schema) {
        Some(why) => (Err(why.clone()), Err(why)),
        None => (tasks::work(&mut connection).await, tasks::ahead(&mut connection).await),
    };
    let engine = SqliteHealth {
        directory_writable: files::is_directory_writable(path),
        corruption: database::corruption(&mut connection, CHECK_TIMEOUT).await,
        journal: database::journal(&mut connection).await,
        pages: database::pages(&mut connection).await,
        space: files::space(path),
        filesystem: files::filesystem(path),
        locked: database::locked(&mut connection).await,
        holders: holders::of(path),
        ahead,
        file,
        log,
        index,
    };
    // Nothing was written.
    let _ = connection.close().await;
    Ok(Health { schema, work, engine: EngineHealth::Sqlite(Box::new(engine)) })
}
