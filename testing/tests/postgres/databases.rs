//! A database per test.

use steadfast_testing::postgres::{Database, Host, Settings};

use crate::cluster;
use crate::session::Session;

#[test]
fn every_test_has_its_own_database() {
    let (one, other) = (Database::fresh().unwrap(), Database::fresh().unwrap());
    assert_ne!(one.name(), other.name());
    for database in [&one, &other] {
        let name = Session::open(database.url()).query("SELECT current_database()");
        assert_eq!(name.as_deref(), Some(database.name()));
    }
}

#[test]
fn database_with_open_connections_is_dropped() {
    let cluster = cluster();
    let count = || {
        let ours = "SELECT count(*) FROM pg_database WHERE datname LIKE 'steadfast%'";
        cluster.query("postgres", ours).unwrap()
    };
    let database = Database::on(&cluster.url("postgres")).unwrap();
    assert_eq!(count(), "1");
    let mut session = Session::open(database.url());
    assert_eq!(session.query("SELECT 1").as_deref(), Some("1"));

    drop(database);

    assert_eq!(count(), "0");
    assert_eq!(session.query("SELECT 2"), None);
}

#[test]
fn host_is_the_given_or_a_started_server() {
    let started = Host::find(None, Settings::default()).unwrap();
    let Host::Started(cluster) = &started else { panic!("no URL was given") };
    let external = Host::find(Some(&cluster.url("postgres")), Settings::default()).unwrap();
    let database = external.database().unwrap();
    assert!(database.url().starts_with(cluster.url("").as_str()), "{}", database.url());
    let version = cluster.version().unwrap();
    assert_eq!(started.name().unwrap(), format!("PostgreSQL {version}, started by this program"));
    assert_eq!(external.name().unwrap(), format!("PostgreSQL {version}, external"));
    assert!(Host::find(Some("localhost"), Settings::default()).is_err());
}

#[test]
fn invalid_url_is_rejected_without_repeating_it() {
    let error = Database::on("mysql://user:secret@host/db").err().unwrap().to_string();
    assert!(error.contains("not the URL of a PostgreSQL server"), "{error}");
    assert!(error.contains("STEADFAST_TEST_POSTGRES"), "{error}");
    assert!(!error.contains("secret"), "{error}");
}

#[test]
fn unreachable_server_error_names_the_variable() {
    let cluster = cluster();
    let url = cluster.url("postgres");
    drop(cluster);
    let error = Database::on(&url).err().unwrap().to_string();
    assert!(error.contains("Connection refused"), "{error}");
    assert!(error.contains("STEADFAST_TEST_POSTGRES"), "{error}");
}
