//! The storages on a real PostgreSQL with injected faults (X0, S0).
//!
//! Every case runs on two servers: on the installed one, which is Debian's and has the plain form, and
//! on one with Apache AGE and pgvector, which needs a download and so runs only under
//! `cargo xtask test --full`.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a test may panic"
)]

mod constraints;
mod deadlocks;
mod harness;
mod opening;
mod outages;
mod program;
mod proxy;
mod storing;
mod terminated;
mod unknown;

use steadfast_testing::postgres::{Cluster, Database, Settings, System};

/// Cases that need a database, and cases that need their own server.
macro_rules! cases {
    (
        database: $($room:ident::$case:ident,)*;
        server: $($own_room:ident::$own_case:ident,)*;
    ) => {
        $(#[tokio::test]
        async fn $case() {
            let database = Database::fresh().unwrap();
            harness::in_time($room::$case(database.url())).await;
        })*

        $(#[tokio::test]
        async fn $own_case() {
            let cluster = Cluster::start(Settings::default()).unwrap();
            let url = cluster.create_database("storage").unwrap();
            harness::in_time($own_room::$own_case(&harness::Server::new(cluster), &url)).await;
        })*

        async fn all_on(cluster: Cluster) {
            $({
                let url = cluster.create_database(stringify!($case)).unwrap();
                eprintln!("{}", stringify!($case));
                harness::in_time($room::$case(&url)).await;
            })*
            let server = harness::Server::new(cluster);
            $({
                let url = server.create_database(stringify!($own_case)).await;
                eprintln!("{}", stringify!($own_case));
                harness::in_time($own_room::$own_case(&server, &url)).await;
            })*
        }
    };
}

cases! {
    database:
        opening::form_follows_the_server_extensions,
        opening::database_is_opened_concurrently,
        opening::old_keys_are_pruned,
        opening::old_keys_are_pruned_regularly,
        storing::entity_versions_are_counted,
        storing::relation_weight_grows_with_each_write,
        storing::similar_documents_are_sorted_by_distance,
        terminated::terminated_session_is_retried,
        deadlocks::deadlock_is_retried,
        constraints::violated_constraint_is_not_retried,
        constraints::relation_of_missing_entities_is_not_retried,
        unknown::commit_with_a_lost_response_counts_once,
        unknown::commit_that_never_arrived_counts_once,
        unknown::transaction_that_never_started_is_retried,
        unknown::document_with_a_lost_response_counts_once,
        unknown::repeated_write_does_not_overwrite_a_newer_one,
    ;
    server:
        outages::write_survives_a_restart,
        outages::write_survives_a_crash,
        outages::commit_cut_by_the_server_counts_once,
        outages::write_waits_for_a_server_that_is_down,
    ;
}

/// Here, because it takes longest and tests start in the order of their names.
#[test]
fn a_demo_with_faults_succeeds() {
    program::a_demo_with_faults_succeeds();
}

/// X0: the same on the real extensions.
#[tokio::test]
#[ignore = "cargo xtask test --full"]
async fn every_case_passes_on_apache_age_and_pgvector() {
    let system = Some(System::with_age_and_pgvector().unwrap());
    let cluster = Cluster::start(Settings { system, ..Settings::default() }).unwrap();
    let url = cluster.create_database("first").unwrap();
    let form = example_storage::Database::open(&url).await.unwrap().form().to_string();
    assert!(form.starts_with("a graph of Apache AGE"), "{form}");
    all_on(cluster).await;
}
