//! A server is removed, however its owner ends.

use std::io::{BufRead, BufReader};
use std::net::TcpStream;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use crate::session::Session;
use crate::{cluster, home, home_of, wait_until_removed};

#[test]
fn dropped_server_leaves_no_process_and_no_file() {
    for paused in [false, true] {
        let cluster = cluster();
        let (home, url) = (home_of(&cluster), cluster.url("postgres"));
        let process = format!("/proc/{}", cluster.pid());
        assert!(Path::new(&process).exists() && home.exists());
        assert!(is_reachable(&url));
        if paused {
            cluster.pause().unwrap();
        }

        let began = Instant::now();
        drop(cluster);

        assert!(began.elapsed() < Duration::from_secs(4), "paused: {paused}");
        assert!(!Path::new(&process).exists() && !home.exists());
        assert!(!is_reachable(&url));
    }
}

#[test]
fn server_does_not_outlive_a_killed_owner() {
    let (mut owner, url) = owner();
    let home = home(Session::open(&url).query("SHOW data_directory").unwrap());
    assert!(home.exists());

    owner.kill().unwrap();
    owner.wait().unwrap();

    wait_until_removed(&home);
    assert!(!is_reachable(&url));
}

#[test]
fn throwaway_server_ends_with_its_input() {
    let (mut owner, url) = owner();
    let home = home(Session::open(&url).query("SHOW data_directory").unwrap());
    drop(owner.stdin.take());
    assert!(owner.wait().unwrap().success());
    assert!(!home.exists());
    assert!(!is_reachable(&url));
}

/// A process that starts a server, and the server's URL.
fn owner() -> (Child, String) {
    let mut owner = Command::new(env!("CARGO_BIN_EXE_throwaway-postgres"))
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let mut lines = BufReader::new(owner.stdout.take().unwrap()).lines();
    (owner, lines.next().unwrap().unwrap())
}

fn is_reachable(url: &str) -> bool {
    let (_, location) = url.split_once('@').unwrap();
    let (address, _) = location.split_once('/').unwrap();
    TcpStream::connect(address).is_ok()
}
