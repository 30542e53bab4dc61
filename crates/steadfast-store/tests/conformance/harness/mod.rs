//! The test harness of the conformance suite.

mod aging;
mod database;
mod helpers;
mod invariants;
mod makers;
mod transaction;

use std::ops::Deref;
use std::sync::Arc;

use steadfast_store::{Result, Store};
use steadfast_testing::StoreDatabase;

pub(crate) use steadfast_testing::poll::eventually;

pub(crate) use self::makers::*;

/// Makes a test of each case for each engine, and of some for PostgreSQL alone.
macro_rules! cases {
    ($($case:ident),+ $(,)? $(; only postgres: $($own:ident),+)?) => {
        mod postgres {
            $(#[test] fn $case() { $crate::harness::on_postgres(super::$case) })+
            $($(#[test] fn $own() { $crate::harness::on_postgres(super::$own) })+)?
        }
        mod sqlite {
            $(#[test] fn $case() { $crate::harness::on_sqlite(super::$case) })+
        }
    };
}

/// A store and its database. It dereferences to the store.
pub(crate) struct Harness {
    store: Store,
    database: Arc<StoreDatabase>,
}

impl Deref for Harness {
    type Target = Store;

    fn deref(&self) -> &Store {
        &self.store
    }
}

impl Harness {
    /// A second store on the same database, as another process would open it.
    pub(crate) async fn another(&self) -> Self {
        Self { store: self.open().await.unwrap(), database: self.database.clone() }
    }

    /// The same, where opening may fail.
    pub(crate) async fn open(&self) -> Result<Store> {
        Store::open(&self.url()).await
    }

    /// The store's URL.
    pub(crate) fn url(&self) -> String {
        self.database.url()
    }

    /// Waits until the store's clock advances, so that later operations have later times. SQLite
    /// has a resolution of milliseconds, and two tasks may end within one.
    pub(crate) async fn wait_for_next_tick(&self) {
        let before = self.store.now().await.unwrap();
        eventually("the store's clock advances", async || self.store.now().await.unwrap() > before)
            .await;
    }
}

pub(crate) fn on_postgres(case: impl AsyncFnOnce(&Harness)) {
    run(StoreDatabase::postgres().unwrap(), case);
}

pub(crate) fn on_sqlite(case: impl AsyncFnOnce(&Harness)) {
    run(StoreDatabase::sqlite().unwrap(), case);
}

fn run(database: StoreDatabase, case: impl AsyncFnOnce(&Harness)) {
    // Dropped after everything that is connected to it.
    let database = Arc::new(database);
    let mut builder = tokio::runtime::Builder::new_multi_thread();
    let runtime = builder.worker_threads(2).enable_all().build().unwrap();
    runtime.block_on(async {
        let store = Store::open(&database.url()).await.unwrap();
        let harness = Harness { store, database: database.clone() };
        case(&harness).await;
        harness.assert_consistent().await;
    });
}
