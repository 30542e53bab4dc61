//! Health facts of real files (section 10, `doctor`).

mod files;
mod process;
mod tasks;

use std::path::Path;

use jiff::Timestamp;
use steadfast_store::health::{EngineHealth, Health, SqliteHealth, examine};

use crate::Fixture;

impl Fixture {
    async fn health(&self) -> Health {
        examine_file(&self.path).await
    }

    /// The part that is specific to SQLite.
    async fn own(&self) -> SqliteHealth {
        own(self.health().await)
    }
}

async fn examine_file(path: &Path) -> Health {
    examine(&format!("sqlite:{}", path.display()), Timestamp::now).await.unwrap()
}

fn own(health: Health) -> SqliteHealth {
    let EngineHealth::Sqlite(own) = health.engine else { panic!("not an SQLite store") };
    *own
}
