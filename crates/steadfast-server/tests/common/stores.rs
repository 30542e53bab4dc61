//! An empty store of each engine, for tests that must pass on both (D1).

use std::future::Future;

use steadfast_store::Store;
use steadfast_testing::postgres::Database;
use tokio::runtime::Runtime;

/// Makes a test of each case for each engine.
macro_rules! cases {
    ($($case:ident),+ $(,)?) => {
        mod postgres {
            $(#[test] fn $case() { $crate::stores::on_postgres(super::$case) })+
        }
        mod sqlite {
            $(#[test] fn $case() { $crate::stores::on_sqlite(super::$case) })+
        }
    };
}
pub(crate) use cases;

pub(crate) fn on_postgres<F: Future<Output = ()>>(case: impl FnOnce(Store) -> F) {
    // Blocks, so it is made before there is a runtime.
    let database = Database::fresh().unwrap();
    run(database.url(), case);
}

pub(crate) fn on_sqlite<F: Future<Output = ()>>(case: impl FnOnce(Store) -> F) {
    run("sqlite::memory:", case);
}

fn run<F: Future<Output = ()>>(url: &str, case: impl FnOnce(Store) -> F) {
    let runtime = Runtime::new().unwrap();
    runtime.block_on(async { case(Store::open(url).await.unwrap()).await });
}
