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
        look(&self.path).await
    }

    /// What is SQLite's own of it.
    async fn own(&self) -> SqliteHealth {
        own(self.health().await)
    }
}

async fn look(path: &Path) -> Health {
    examine(&format!("sqlite:{}", path.display()), Timestamp::now).await.unwrap()
}

fn own(health: Health) -> SqliteHealth {
    let EngineHealth::Sqlite(own) = health.engine else { panic!("it is in a file") };
    *own
}
