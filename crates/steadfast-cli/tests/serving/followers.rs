//! The memory cost of event subscribers (H1, K4).
//!
//! `STEADFAST_FOLLOWERS=10000` opens as many as a busy server has; a few are enough to measure the
//! cost of each.

use std::env;
use std::io::{Read, Write};
use std::net::TcpStream;

use nix::sys::resource::{Resource, getrlimit, setrlimit};

use crate::process::Served;
use crate::store::Folder;

/// Subscribers opened by default.
const DEFAULT_FOLLOWERS: usize = 400;
/// The limit per subscriber: ten thousand must fit into 300 MB.
const MAX_BYTES_PER_FOLLOWER: usize = 30_000;

fn follow(address: &str, path: &str) -> TcpStream {
    let mut following = TcpStream::connect(address).unwrap();
    let head =
        format!("GET {path} HTTP/1.1\r\nHost: localhost\r\nAccept: text/event-stream\r\n\r\n");
    following.write_all(head.as_bytes()).unwrap();
    let mut begun = [0; 12];
    following.read_exact(&mut begun).unwrap();
    assert_eq!(&begun, b"HTTP/1.1 200");
    following
}

/// The resident memory of a process in bytes.
fn resident(pid: u32) -> usize {
    let status = std::fs::read_to_string(format!("/proc/{pid}/status")).unwrap();
    let line = status.lines().find(|line| line.starts_with("VmRSS")).unwrap();
    line.split_whitespace().nth(1).unwrap().parse::<usize>().unwrap() * 1024
}

/// K4: ten thousand idle subscribers of events and pages fit into 300 MB.
#[test]
fn idle_follower_memory_is_bounded() {
    let wanted = env::var("STEADFAST_FOLLOWERS").ok().and_then(|wanted| wanted.parse().ok());
    let followers = wanted.unwrap_or(DEFAULT_FOLLOWERS);
    let (_, most) = getrlimit(Resource::RLIMIT_NOFILE).unwrap();
    setrlimit(Resource::RLIMIT_NOFILE, most, most).unwrap();
    for path in ["/api/v1/events", "/live"] {
        let folder = Folder::empty();
        let served = Served::start(&folder, "--no-worker");
        let address = served.url.strip_prefix("http://").unwrap();
        // What is made once is there with the first.
        let mut following: Vec<_> = (0..20).map(|_| follow(address, path)).collect();
        let before = resident(served.pid());
        following.extend((0..followers).map(|_| follow(address, path)));
        let after = resident(served.pid());
        let each = after.saturating_sub(before) / followers;
        println!("{path}: {followers} cost {each} bytes each; {after} bytes in all");
        assert!(
            each <= MAX_BYTES_PER_FOLLOWER,
            "{path}: {each} bytes each, {before} before and {after} after"
        );
    }
}
