//! A real ClickHouse server: start, restart and removal.

#![allow(clippy::unwrap_used, reason = "a test may panic")]

use std::io::{Read, Write};
use std::net::TcpStream;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use steadfast_testing::clickhouse::Server;

#[test]
fn new_server_answers_queries_without_root() {
    let server = Server::start().unwrap();
    let version = query(&server, "SELECT version()");
    assert!(version.starts_with(|c: char| c.is_ascii_digit()), "{version}");
    let status = std::fs::read_to_string(format!("/proc/{}/status", server.pid())).unwrap();
    let user = status.lines().find(|line| line.starts_with("Uid:")).unwrap();
    assert_ne!(user.split_whitespace().nth(1), Some("0"));
}

#[test]
fn server_logs_queries_on_request() {
    let server = Server::start().unwrap();
    ask(&server, "/?log_queries=1", "SELECT 1");
    // This version may flush the latest entries only on the second request.
    let began = Instant::now();
    let is_logged = || {
        query(&server, "SYSTEM FLUSH LOGS");
        query(&server, "SELECT count() FROM system.query_log WHERE type = 2") == "1"
    };
    while !is_logged() {
        assert!(began.elapsed() < Duration::from_secs(30));
    }
}

#[test]
fn killed_server_restarts_with_its_data() {
    let mut server = Server::start().unwrap();
    query(&server, "CREATE TABLE mine (a UInt8) ENGINE = MergeTree ORDER BY a");
    query(&server, "INSERT INTO mine VALUES (7)");
    server.kill().unwrap();
    TcpStream::connect(server.address()).unwrap_err();
    server.restart().unwrap();
    assert_eq!(query(&server, "SELECT a FROM mine"), "7");
}

#[test]
fn concurrently_started_servers_do_not_collide() {
    let starting = [(); 2].map(|()| std::thread::spawn(|| Server::start().unwrap()));
    let [one, other] = starting.map(|thread| thread.join().unwrap());
    assert_ne!(one.url(), other.url());
    query(&one, "CREATE TABLE mine (a UInt8) ENGINE = Log");
    assert!(query(&other, "SELECT a FROM mine").contains("doesn't exist"));
}

#[test]
fn dropped_server_leaves_no_process_and_no_file() {
    let server = Server::start().unwrap();
    let process = PathBuf::from(format!("/proc/{}", server.pid()));
    let home = std::fs::read_link(process.join("cwd")).unwrap();
    let address = server.address();
    assert!(home.exists());

    let began = Instant::now();
    drop(server);

    assert!(began.elapsed() < Duration::from_secs(20));
    assert!(!process.exists() && !Path::new(&home).exists());
    TcpStream::connect(address).unwrap_err();
}

/// The server's answer to a statement.
fn query(server: &Server, statement: &str) -> String {
    ask(server, "/", statement)
}

/// The same, with settings in the path.
fn ask(server: &Server, path: &str, statement: &str) -> String {
    let mut connection = TcpStream::connect(server.address()).unwrap();
    let length = statement.len();
    write!(connection, "POST {path} HTTP/1.0\r\nContent-Length: {length}\r\n\r\n{statement}")
        .unwrap();
    let mut answer = String::new();
    connection.read_to_string(&mut answer).unwrap();
    let (_, body) = answer.split_once("\r\n\r\n").unwrap();
    body.trim_end().to_owned()
}
