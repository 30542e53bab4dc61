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
        opening::the_form_is_what_the_server_can,
        opening::many_may_open_a_database_at_once,
        opening::old_keys_are_forgotten,
        opening::old_keys_are_forgotten_now_and_then,
        storing::an_entity_counts_its_versions,
        storing::a_relation_weighs_more_each_time,
        storing::similar_documents_are_found_nearest_first,
        terminated::a_terminated_session_is_tried_again,
        deadlocks::a_deadlock_is_tried_again,
        constraints::a_violated_constraint_is_not_tried_again,
        constraints::a_relation_of_nothing_is_not_tried_again,
        unknown::a_commit_whose_answer_is_lost_counts_once,
        unknown::a_commit_that_never_arrived_counts_once,
        unknown::a_transaction_that_never_began_is_tried_again,
        unknown::a_document_whose_answer_is_lost_counts_once,
        unknown::a_repeated_write_does_not_cover_a_newer_one,
    ;
    server:
        outages::a_restart_in_the_midst_of_it_is_survived,
        outages::a_crash_in_the_midst_of_it_is_survived,
        outages::a_session_cut_in_its_commit_counts_once,
        outages::a_server_that_refuses_connections_is_waited_for,
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
async fn every_case_on_apache_age_and_pgvector() {
    let system = Some(System::with_age_and_pgvector().unwrap());
    let cluster = Cluster::start(Settings { system, ..Settings::default() }).unwrap();
    let url = cluster.create_database("first").unwrap();
    let form = example_storage::Database::open(&url).await.unwrap().form().to_string();
    assert!(form.starts_with("a graph of Apache AGE"), "{form}");
    all_on(cluster).await;
}
