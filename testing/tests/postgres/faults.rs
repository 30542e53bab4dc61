//! Injected faults.

use std::fs;
use std::path::Path;
use std::process::Command;
use std::time::Duration;

use steadfast_testing::postgres::Shutdown;

use crate::session::Session;
use crate::{LONG, cluster, home_of, wait_until_removed};

/// Longer than an answer of a running server takes.
const SHORT: Duration = Duration::from_millis(300);

#[test]
fn restarted_server_has_the_same_url_and_data() {
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
fn immediate_shutdown_needs_crash_recovery() {
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
fn killed_server_can_be_restarted() {
    let mut cluster = cluster();
    let processes = "SELECT string_agg(pid::text, ' ') FROM pg_stat_activity";
    let others = cluster.query("postgres", processes).unwrap();
    let pid = cluster.pid().to_string();
    assert!(Command::new("kill").args(["-KILL", &pid]).status().unwrap().success());
    for other in others.split(' ') {
        // A process that stays would hold the server's memory.
        wait_until_removed(&Path::new("/proc").join(other));
    }

    cluster.restart(Shutdown::Fast).unwrap();

    assert_eq!(cluster.query("postgres", "SELECT 1").unwrap(), "1");
}

#[test]
fn client_disconnected_during_commit_has_committed() {
    let cluster = cluster();
    cluster.query("postgres", "CREATE TABLE kept (written int)").unwrap();
    let mut session = Session::open(&cluster.url("postgres"));
    let (cut, writes) = std::thread::scope(|scope| {
        let cutting = scope.spawn(|| cluster.cut_in_commit().unwrap());
        // The server takes a moment until commits wait.
        let insert = "INSERT INTO kept VALUES (1) RETURNING written";
        let answered = std::iter::from_fn(|| session.query(insert)).count();
        (cutting.join().unwrap(), answered + 1)
    });
    assert_eq!(cut, 1);
    assert_eq!(cluster.query("postgres", "SELECT count(*) FROM kept").unwrap(), writes.to_string());
    cluster.query("postgres", "INSERT INTO kept VALUES (2)").unwrap();
}

#[test]
fn paused_server_answers_after_resume() {
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
fn stopped_server_refuses_connections_until_restart() {
    let mut cluster = cluster();
    cluster.query("postgres", "CREATE TABLE kept AS SELECT 'before' AS said").unwrap();
    cluster.stop(Shutdown::Fast).unwrap();
    let error = cluster.query("postgres", "SELECT 1").unwrap_err();
    assert!(error.what().contains("refused"), "{error}");
    cluster.restart(Shutdown::Fast).unwrap();
    assert_eq!(cluster.query("postgres", "SELECT said FROM kept").unwrap(), "before");
}

#[test]
fn paused_server_can_be_restarted() {
    let mut cluster = cluster();
    cluster.pause().unwrap();
    cluster.restart(Shutdown::Fast).unwrap();
    assert_eq!(cluster.query("postgres", "SELECT 1").unwrap(), "1");
}
