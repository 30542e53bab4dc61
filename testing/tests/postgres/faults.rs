//! What is done to a server on purpose.

use std::fs;
use std::path::Path;
use std::process::Command;
use std::time::Duration;

use steadfast_testing::postgres::Shutdown;

use crate::session::Session;
use crate::{LONG, cluster, home_of, is_removed};

/// Long enough to be answered, were anybody there.
const SHORT: Duration = Duration::from_millis(300);

#[test]
fn a_restarted_server_has_the_same_url_and_what_was_committed() {
    let mut cluster = cluster();
    cluster.query("postgres", "CREATE TABLE kept AS SELECT 'before' AS said").unwrap();
    for how in [Shutdown::Fast, Shutdown::Immediate] {
        let (url, pid) = (cluster.url("postgres"), cluster.pid());
        let mut session = Session::open(&url);
        assert_eq!(session.query("SELECT 1").as_deref(), Some("1"));

        cluster.restart(how).unwrap();

        assert_eq!(cluster.url("postgres"), url);
        assert_ne!(cluster.pid(), pid);
        assert_eq!(cluster.query("postgres", "SELECT said FROM kept").unwrap(), "before");
        assert_eq!(session.query("SELECT 2"), None, "{how:?} cuts sessions");
    }
}

#[test]
fn only_an_immediate_stop_is_recovered_from_like_a_crash() {
    let mut cluster = cluster();
    let log = home_of(&cluster).join("log");
    let recoveries = || {
        let log = fs::read_to_string(&log).unwrap();
        log.matches("automatic recovery in progress").count()
    };
    cluster.restart(Shutdown::Fast).unwrap();
    assert_eq!(recoveries(), 0);
    cluster.restart(Shutdown::Immediate).unwrap();
    assert_eq!(recoveries(), 1);
}

#[test]
fn a_server_that_was_killed_can_be_started_again() {
    let mut cluster = cluster();
    let processes = "SELECT string_agg(pid::text, ' ') FROM pg_stat_activity";
    let others = cluster.query("postgres", processes).unwrap();
    let pid = cluster.pid().to_string();
    assert!(Command::new("kill").args(["-KILL", &pid]).status().unwrap().success());
    for other in others.split(' ') {
        assert!(is_removed(&Path::new("/proc").join(other)), "{other} holds the server's memory");
    }

    cluster.restart(Shutdown::Fast).unwrap();

    assert_eq!(cluster.query("postgres", "SELECT 1").unwrap(), "1");
}

#[test]
fn whoever_is_cut_off_in_his_commit_has_written() {
    let cluster = cluster();
    cluster.query("postgres", "CREATE TABLE kept (written int)").unwrap();
    let mut session = Session::open(&cluster.url("postgres"));
    let (cut, writes) = std::thread::scope(|scope| {
        let cutting = scope.spawn(|| cluster.cut_in_commit().unwrap());
        // The server takes a moment to begin to wait.
        let insert = "INSERT INTO kept VALUES (1) RETURNING written";
        let told = std::iter::from_fn(|| session.query(insert)).count();
        (cutting.join().unwrap(), told + 1)
    });
    assert_eq!(cut, 1);
    assert_eq!(cluster.query("postgres", "SELECT count(*) FROM kept").unwrap(), writes.to_string());
    cluster.query("postgres", "INSERT INTO kept VALUES (2)").unwrap();
}

#[test]
fn a_paused_server_answers_nobody_until_it_is_resumed() {
    let cluster = cluster();
    let mut connected = Session::open(&cluster.url("postgres"));
    assert_eq!(connected.query("SELECT 'before'").as_deref(), Some("before"));

    cluster.pause().unwrap();
    let mut newcomer = Session::open(&cluster.url("postgres"));
    connected.ask("SELECT 'after'");
    newcomer.ask("SELECT 'hello'");
    assert_eq!(connected.answer(SHORT), None);
    assert_eq!(newcomer.answer(SHORT), None);

    cluster.resume().unwrap();
    assert_eq!(connected.answer(LONG).as_deref(), Some("after"));
    assert_eq!(newcomer.answer(LONG).as_deref(), Some("hello"));
}

#[test]
fn a_stopped_server_refuses_connections_until_it_is_restarted() {
    let mut cluster = cluster();
    cluster.query("postgres", "CREATE TABLE kept AS SELECT 'before' AS said").unwrap();
    cluster.stop(Shutdown::Fast).unwrap();
    let error = cluster.query("postgres", "SELECT 1").unwrap_err();
    assert!(error.what().contains("refused"), "{error}");
    cluster.restart(Shutdown::Fast).unwrap();
    assert_eq!(cluster.query("postgres", "SELECT said FROM kept").unwrap(), "before");
}

#[test]
fn a_paused_server_can_be_restarted() {
    let mut cluster = cluster();
    cluster.pause().unwrap();
    cluster.restart(Shutdown::Fast).unwrap();
    assert_eq!(cluster.query("postgres", "SELECT 1").unwrap(), "1");
}
