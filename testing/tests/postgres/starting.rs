//! The start of a server, and its errors.

use steadfast_testing::postgres::{Cluster, Settings};

use crate::{cluster, with_option};

#[test]
fn new_server_answers_and_creates_databases() {
    let cluster = cluster();
    assert!(cluster.version().unwrap().starts_with(|c: char| c.is_ascii_digit()));
    let url = cluster.create_database("tasks").unwrap();
    assert_eq!(url, cluster.url("tasks"));
    assert_eq!(cluster.query("tasks", "SELECT current_database(), 1").unwrap(), "tasks|1");
    assert_eq!(cluster.query("tasks", "SHOW server_encoding").unwrap(), "UTF8");

    let error = cluster.create_database("Tasks; DROP").unwrap_err();
    assert!(error.what().contains("invalid database name `Tasks; DROP`"), "{error}");
    let error = cluster.query("tasks", "SELECT nonsense").unwrap_err();
    assert!(error.what().starts_with("`SELECT nonsense` failed: "), "{error}");
    assert!(error.what().contains("column \"nonsense\" does not exist"), "{error}");
}

#[test]
fn only_a_durable_server_flushes_to_disk() {
    for (durable, expected) in [(true, "on|on|on"), (false, "off|off|on")] {
        let cluster = Cluster::start(Settings { durable, ..Settings::default() }).unwrap();
        let settings = ["fsync", "full_page_writes", "synchronous_commit"]
            .map(|name| format!("current_setting('{name}')"))
            .join(", ");
        let answer = cluster.query("postgres", &format!("SELECT {settings}")).unwrap();
        assert_eq!(answer, expected, "durable: {durable}");
    }
}

#[test]
fn given_options_override_the_defaults() {
    let cluster = Cluster::start(with_option("max_connections=17")).unwrap();
    assert_eq!(cluster.query("postgres", "SHOW max_connections").unwrap(), "17");
}

#[test]
fn concurrently_started_servers_do_not_collide() {
    let starting = [(); 2].map(|()| std::thread::spawn(cluster));
    let [one, other] = starting.map(|thread| thread.join().unwrap());
    assert_ne!(one.url("postgres"), other.url("postgres"));
    one.create_database("mine").unwrap();
    other.query("mine", "SELECT 1").unwrap_err();
    drop(one);
    assert_eq!(other.query("postgres", "SELECT 1").unwrap(), "1");
}

#[test]
fn missing_programs_error_names_the_directory() {
    let empty = tempfile::tempdir().unwrap();
    let programs = Some(empty.path().to_owned());
    let error = Cluster::start(Settings { programs, ..Settings::default() }).err().unwrap();
    let expected = format!("no initdb, postgres, pg_isready, psql in {}", empty.path().display());
    assert_eq!(error.what(), expected);
    assert!(error.next().contains("the directory of a PostgreSQL server's programs"), "{error}");
}

#[test]
fn failed_start_error_has_the_reason() {
    let error = Cluster::start(with_option("work_memory=1MB")).err().unwrap();
    let why = "unrecognized configuration parameter \"work_memory\"";
    assert!(error.what().starts_with("PostgreSQL did not start (exit status: 1)"), "{error}");
    assert!(error.what().contains(why), "{error}");
}
