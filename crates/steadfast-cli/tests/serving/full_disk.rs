//! A full disk, and recovery from it (K4).
//!
//! The disk is a small tmpfs in a mount namespace that ends with the server.

use std::io::{Read, Write};
use std::net::TcpStream;
use std::process::Command;

use serde_json::Value;

use crate::process::Served;
use crate::store::Folder;
use steadfast_testing::poll::wait_for;

/// Runs the command where `small` is a disk of 8 MB, half of it used.
fn on_a_small_disk(command: &mut Command) {
    let script = "mkdir small && mount -t tmpfs -o size=8m small small \
                  && head -c 4194304 /dev/zero >small/ballast && exec \"$0\" \"$@\"";
    let mut there = Command::new("unshare");
    if !nix::unistd::geteuid().is_root() {
        there.args(["--user", "--map-root-user"]);
    }
    there.args(["--mount", "--propagation", "private", "sh", "-c", script]);
    there.arg(command.get_program()).args(command.get_args());
    there.current_dir(command.get_current_dir().unwrap());
    for (name, value) in command.get_envs() {
        match value {
            Some(value) => there.env(name, value),
            None => there.env_remove(name),
        };
    }
    *command = there;
}

/// The status and body of a response.
fn request(served: &Served<'_>, line: &str, body: &str) -> (u16, Value) {
    let address = served.url.strip_prefix("http://").unwrap();
    let mut connection = TcpStream::connect(address).unwrap();
    let length = body.len();
    let head = format!(
        "{line} HTTP/1.1\r\nHost: {address}\r\nConnection: close\r\n\
         Content-Type: application/json\r\nContent-Length: {length}\r\n\r\n"
    );
    connection.write_all((head + body).as_bytes()).unwrap();
    let mut answer = String::new();
    connection.read_to_string(&mut answer).unwrap();
    let (head, body) = answer.split_once("\r\n\r\n").unwrap();
    (head[9..12].parse().unwrap(), serde_json::from_str(body).unwrap())
}

/// K4: a submit on a full disk gets an error with advice, stored tasks stay readable, and submits
/// work again without a restart once there is space.
#[test]
fn full_disk_is_reported_and_recovered_from() {
    let folder = Folder::empty();
    let flags = "--store sqlite:small/tasks.db";
    let served = Served::start_with(&folder, flags, on_a_small_disk);
    let task = format!(r#"{{"kind": "unhandled", "payload": "{}"}}"#, "x".repeat(256 << 10));
    let submit = || request(&served, "POST /api/v1/tasks", &task);
    let mut taken = 0;
    let refused = loop {
        match submit() {
            (201, _) => taken += 1,
            refused => break refused,
        }
        assert!(taken < 100, "the disk is not small");
    };
    assert_eq!((refused.0, &refused.1["type"]), (507, &"urn:steadfast:full".into()));
    assert!(refused.1["next"].as_str().unwrap().contains("free disk space"), "{}", refused.1);
    let (status, stats) = request(&served, "GET /api/v1/stats", "");
    assert_eq!((status, &stats["pending"]), (200, &taken.into()), "{stats}");
    assert_eq!(request(&served, "GET /readyz", "").0, 200);

    std::fs::remove_file(format!("/proc/{}/cwd/small/ballast", served.pid())).unwrap();
    wait_for("a task is accepted again", || (submit().0 == 201).then_some(()));
    let (_, stats) = request(&served, "GET /api/v1/stats", "");
    assert_eq!(stats["pending"], taken + 1);
}
