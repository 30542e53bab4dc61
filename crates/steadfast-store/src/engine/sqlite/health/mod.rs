//! Looking at a store in a file from outside.
//!
//! The files are never opened here but by SQLite itself: when a process closes a file, the
//! system drops every lock that this process has on it, and the locks of a store that is open in
//! this process would go with them. So sizes and owners are asked of the directory, and who has
//! the file open is asked of the system.

mod database;
mod disk;
mod files;
mod holders;
mod tasks;

use std::time::Duration;

use sqlx::sqlite::SqliteConnectOptions;
use sqlx::{ConnectOptions, Connection as _};

use super::options::Options;
use crate::error::{Result, StoreError};
use crate::health::{EngineHealth, Health, SqliteHealth, work_unseen};

/// How long the whole file may be read for damage.
const CHECK: Duration = Duration::from_secs(10);
/// How long another process may write before the file counts as locked.
const PATIENCE: Duration = Duration::from_secs(1);

pub(crate) async fn examine(url: &str) -> Result<Health> {
    let options = Options::parse(url)?;
    let refuse = |problem: &str| StoreError::Url { url: url.to_owned(), problem: problem.into() };
    let path = options.path().ok_or_else(|| {
        refuse("a store in memory is gone with its process: name a file, as sqlite:PATH")
    })?;
    let found = files::beside(path).ok_or_else(|| match path.is_dir() {
        true => refuse("it is a directory: name a file in it"),
        false => refuse("there is no such file: look at the path, or make a store by using it"),
    })?;
    // Not made if it is not there, and opened for writing if possible: only who may write can
    // see whether it is locked, and leaves no files behind.
    let opening = SqliteConnectOptions::new().filename(path).busy_timeout(PATIENCE);
    let opening = opening.pragma("query_only", "ON").disable_statement_logging();
    let connected = opening.connect().await.map_err(StoreError::from);
    let mut connection = connected.map_err(|error| options.explain(error))?;
    if let Err(error) = database::first_read(&mut connection).await {
        let told = options.explain(error);
        // Whatever else it is, the facts will tell.
        if matches!(told, StoreError::Url { .. } | StoreError::Locked(_)) {
            return Err(told);
        }
    }
    let schema = tasks::schema(&mut connection).await;
    let (work, ahead) = match work_unseen(&schema) {
        Some(why) => (Err(why.clone()), Err(why)),
        None => (tasks::work(&mut connection).await, tasks::ahead(&mut connection).await),
    };
    let engine = SqliteHealth {
        directory_writable: files::can_make_beside(path),
        damage: database::damage(&mut connection, CHECK).await,
        journal: database::journal(&mut connection).await,
        pages: database::pages(&mut connection).await,
        space: disk::space(path),
        filesystem: disk::filesystem(path),
        locked: database::locked(&mut connection).await,
        holders: holders::of(path),
        ahead,
        file: found.file,
        log: found.log,
        index: found.index,
    };
    // Nothing was written, so there is nothing to lose.
    let _ = connection.close().await;
    Ok(Health { schema, work, engine: EngineHealth::Sqlite(Box::new(engine)) })
}
