//! A transaction of the caller, on its own connection.

use sqlx::SqlitePool;
use sqlx::{AssertSqlSafe, Connection as _, Executor as _, PgConnection, PgPool, SqliteConnection};
use steadfast_store::{Result, Store, Submitted, Task};
use steadfast_testing::StoreDatabase;

use super::Harness;

pub(crate) enum Transaction {
    Postgres(sqlx::Transaction<'static, sqlx::Postgres>),
    Sqlite(sqlx::Transaction<'static, sqlx::Sqlite>),
}

impl Transaction {
    pub(crate) async fn submit(
        &mut self,
        store: &Store,
        tasks: Vec<Task>,
    ) -> Result<Vec<Submitted>> {
        match self {
            Self::Postgres(transaction) => store.submit_within(&mut **transaction, tasks).await,
            Self::Sqlite(transaction) => store.submit_within(&mut **transaction, tasks).await,
        }
    }

    /// Writes a row of the caller's own.
    pub(crate) async fn order(&mut self, number: i32) {
        let statement = AssertSqlSafe(format!("INSERT INTO orders VALUES ({number})"));
        match self {
            Self::Postgres(own) => own.execute(sqlx::raw_sql(statement)).await.map(drop),
            Self::Sqlite(own) => own.execute(sqlx::raw_sql(statement)).await.map(drop),
        }
        .unwrap();
    }

    pub(crate) async fn commit(self) {
        match self {
            Self::Postgres(transaction) => transaction.commit().await.unwrap(),
            Self::Sqlite(transaction) => transaction.commit().await.unwrap(),
        }
    }

    pub(crate) async fn roll_back(self) {
        match self {
            Self::Postgres(transaction) => transaction.rollback().await.unwrap(),
            Self::Sqlite(transaction) => transaction.rollback().await.unwrap(),
        }
    }
}

impl Harness {
    pub(crate) async fn begin(&self) -> Transaction {
        let url = self.database.url();
        match &*self.database {
            StoreDatabase::Postgres(_) => {
                Transaction::Postgres(PgPool::connect(&url).await.unwrap().begin().await.unwrap())
            }
            StoreDatabase::Sqlite(_) => {
                Transaction::Sqlite(SqlitePool::connect(&url).await.unwrap().begin().await.unwrap())
            }
        }
    }

    /// Creates a table of the caller's own.
    pub(crate) async fn create_orders_table(&self) {
        let statement = "CREATE TABLE orders (number int)";
        self.database.execute(statement, statement).await;
    }

    /// The rows of that table.
    pub(crate) async fn orders(&self) -> Vec<i32> {
        let url = self.database.url();
        let select = "SELECT number FROM orders";
        match &*self.database {
            StoreDatabase::Postgres(_) => {
                let mut connection = PgConnection::connect(&url).await.unwrap();
                sqlx::query_scalar(select).fetch_all(&mut connection).await.unwrap()
            }
            StoreDatabase::Sqlite(_) => {
                let mut connection = SqliteConnection::connect(&url).await.unwrap();
                sqlx::query_scalar(select).fetch_all(&mut connection).await.unwrap()
            }
        }
    }

    /// Submits over a connection to the other engine.
    pub(crate) async fn submit_to_other_engine(&self, tasks: Vec<Task>) -> Result<Vec<Submitted>> {
        match &*self.database {
            StoreDatabase::Postgres(_) => {
                let mut other = SqliteConnection::connect("sqlite::memory:").await.unwrap();
                self.submit_within(&mut other, tasks).await
            }
            StoreDatabase::Sqlite(_) => {
                let other =
                    tokio::task::spawn_blocking(StoreDatabase::postgres).await.unwrap().unwrap();
                let mut connection = PgConnection::connect(&other.url()).await.unwrap();
                self.submit_within(&mut connection, tasks).await
            }
        }
    }
}
