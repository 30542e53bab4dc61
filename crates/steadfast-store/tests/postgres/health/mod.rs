//! Health facts of a real server (section 10, `doctor`).

mod server;
mod sessions;
mod tasks;

use jiff::Timestamp;
use sqlx::{AssertSqlSafe, PgConnection};
use steadfast_store::health::{EngineHealth, Health, PostgresHealth, examine};
use steadfast_testing::postgres::{Cluster, Settings};

use crate::Fixture;

impl Fixture {
    async fn health(&self) -> Health {
        examine(&self.url, Timestamp::now).await.unwrap()
    }

    /// The part that is specific to PostgreSQL.
    async fn server(&self) -> PostgresHealth {
        own(self.health().await)
    }

    async fn execute(&mut self, statements: &str) {
        execute(&mut self.connection, statements).await;
    }
}

fn own(health: Health) -> PostgresHealth {
    let EngineHealth::Postgres(own) = health.engine else { panic!("not a PostgreSQL store") };
    *own
}

async fn execute(connection: &mut PgConnection, statements: &str) {
    sqlx::raw_sql(AssertSqlSafe(statements.to_owned())).execute(connection).await.unwrap();
}

/// A server of its own, for tests of server-wide state.
fn dedicated_server(options: &[&str]) -> (Cluster, String) {
    let options = options.iter().map(|option| (*option).to_owned()).collect();
    let cluster = Cluster::start(Settings { options, ..Settings::default() }).unwrap();
    let url = cluster.create_database("tasks").unwrap();
    (cluster, url)
}
