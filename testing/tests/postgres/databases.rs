//! One database for one test.

use steadfast_testing::postgres::{Database, Host, Settings};

use crate::cluster;
use crate::session::Session;

#[test]
fn every_test_has_a_database_of_its_own() {
    let (one, other) = (Database::fresh().unwrap(), Database::fresh().unwrap());
    assert_ne!(one.name(), other.name());
    for database in [&one, &other] {
        let name = Session::open(database.url()).query("SELECT current_database()");
        assert_eq!(name.as_deref(), Some(database.name()));
    }
}

#[test]
fn a_database_is_dropped_under_whoever_is_still_connected() {
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
fn a_host_is_the_one_that_is_named_or_one_that_is_started() {
    let ours = Host::find(None, Settings::default()).unwrap();
    let Host::Ours(cluster) = &ours else { panic!("nobody was named") };
    let yours = Host::find(Some(&cluster.url("postgres")), Settings::default()).unwrap();
    let database = yours.database().unwrap();
    assert!(database.url().starts_with(cluster.url("").as_str()), "{}", database.url());
    let version = cluster.version().unwrap();
    assert_eq!(ours.name().unwrap(), format!("PostgreSQL {version}, started for this"));
    assert_eq!(yours.name().unwrap(), format!("PostgreSQL {version}, as it was named"));
    assert!(Host::find(Some("localhost"), Settings::default()).is_err());
}

#[test]
fn what_is_no_url_of_a_server_is_refused_without_repeating_it() {
    let error = Database::on("mysql://user:secret@host/db").err().unwrap().to_string();
    assert!(error.contains("no URL of a PostgreSQL server"), "{error}");
    assert!(error.contains("STEADFAST_TEST_POSTGRES"), "{error}");
    assert!(!error.contains("secret"), "{error}");
}

#[test]
fn a_server_that_is_down_is_named_with_the_variable_to_look_at() {
    let cluster = cluster();
    let url = cluster.url("postgres");
    drop(cluster);
    let error = Database::on(&url).err().unwrap().to_string();
    assert!(error.contains("Connection refused"), "{error}");
    assert!(error.contains("STEADFAST_TEST_POSTGRES"), "{error}");
}
