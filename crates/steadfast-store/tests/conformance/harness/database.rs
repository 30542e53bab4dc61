//! The databases themselves, each with nothing in it and gone after its case.

use std::sync::Arc;

use sqlx::{AssertSqlSafe, Connection as _, PgConnection};
use steadfast_store::{Postgres, Result, Store};
use steadfast_testing::postgres;

pub(crate) enum Database {
    Postgres(postgres::Database),
}

impl Database {
    /// Blocks, so it is made before there is a runtime.
    pub(super) fn postgres() -> Self {
        Self::Postgres(postgres::Database::fresh().unwrap_or_else(|error| panic!("{error}")))
    }

    pub(super) async fn open(&self) -> Result<Store> {
        match self {
            Self::Postgres(database) => {
                Ok(Store::on(Arc::new(Postgres::open(database.url()).await?)))
            }
        }
    }

    /// Runs a statement past the store, as each engine spells it.
    pub(super) async fn execute(&self, on_postgres: String) {
        match self {
            Self::Postgres(database) => {
                let mut connection = PgConnection::connect(database.url()).await.unwrap();
                sqlx::raw_sql(AssertSqlSafe(on_postgres)).execute(&mut connection).await.unwrap();
            }
        }
    }
}
