//! Security tests for K1 to K4 against a real server over TCP, with raw sockets where an HTTP client
//! would refuse to send the input.

#![allow(
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::panic,
    clippy::unwrap_used,
    reason = "a test may panic"
)]

mod audit;
mod connections;
mod cross_origin;
mod docs;
mod input_limits;
mod login;
mod login_throttle;
mod outgoing_calls;
mod public_address;
mod read_permits;
mod roles;
#[path = "../common/running.rs"]
mod running;
mod security_headers;
mod streams;
mod tls;
mod tokens;

use std::net::SocketAddr;
use std::path::PathBuf;
use std::time::Duration;

use serde_json::Value;
use steadfast_server::{NewToken, Role, ServeError, Server};
use steadfast_store::{AuditEntry, AuditQuery, Store};
use steadfast_testing::poll::eventually_some;
use tempfile::TempDir;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio::sync::oneshot;
use tokio::task::JoinHandle;
use tokio::time::timeout;

use running::{Running, start};

/// The timeout of test steps.
const IN_TIME: Duration = Duration::from_secs(20);

/// A running server.
struct World {
    address: SocketAddr,
    store: Store,
    tokens: Tokens,
    stop: oneshot::Sender<()>,
    running: JoinHandle<Result<(), ServeError>>,
}

/// Tokens and their file.
struct Tokens {
    folder: TempDir,
    viewer: NewToken,
    operator: NewToken,
    admin: NewToken,
}

impl Tokens {
    fn new() -> Self {
        let token = |name, role| NewToken::new(name, role, None).unwrap();
        let tokens = Self {
            folder: tempfile::tempdir().unwrap(),
            viewer: token("vera", Role::Viewer),
            operator: token("otto", Role::Operator),
            admin: token("ada", Role::Admin),
        };
        tokens.write(&[&tokens.viewer, &tokens.operator, &tokens.admin]);
        tokens
    }

    fn file(&self) -> PathBuf {
        self.folder.path().join("tokens.toml")
    }

    /// Has the file hold these, and puts it in place at once.
    fn write(&self, tokens: &[&NewToken]) {
        self.write_text(&tokens.iter().map(|token| token.entry()).collect::<String>());
    }

    fn write_text(&self, text: &str) {
        let beside = self.folder.path().join("new");
        std::fs::write(&beside, text).unwrap();
        std::fs::rename(beside, self.file()).unwrap();
    }
}

/// A server that asks for tokens.
async fn world() -> World {
    let tokens = Tokens::new();
    let file = tokens.file();
    world_of(tokens, |server| server.tokens(file)).await
}

/// A server without authentication.
async fn open_world() -> World {
    world_of(Tokens::new(), |server| server).await
}

async fn world_of(tokens: Tokens, change: impl FnOnce(Server) -> Server) -> World {
    world_on(Store::open("sqlite::memory:").await.unwrap(), tokens, change).await
}

async fn world_on(store: Store, tokens: Tokens, change: impl FnOnce(Server) -> Server) -> World {
    let server = change(Server::new(store.clone()).without_worker());
    let Running { address, stop, running } = start(server).await;
    World { address, store, tokens, stop, running }
}

/// What was answered, taken apart by hand.
#[derive(Debug)]
struct Answer {
    status: u16,
    head: String,
    body: String,
}

impl Answer {
    fn of(text: &str) -> Self {
        let (head, body) = text.split_once("\r\n\r\n").unwrap_or((text, ""));
        let status = head.split(' ').nth(1).and_then(|status| status.parse().ok()).unwrap_or(0);
        Self { status, head: head.to_owned(), body: body.to_owned() }
    }

    /// The value of a header.
    fn header(&self, name: &str) -> Option<&str> {
        let pairs = self.head.lines().filter_map(|line| line.split_once(": "));
        pairs.filter(|(given, _)| given.eq_ignore_ascii_case(name)).map(|(_, value)| value).next()
    }

    #[track_caller]
    fn json(&self) -> Value {
        serde_json::from_str(&self.body).unwrap_or_else(|_| panic!("{self:?}"))
    }

    /// The problem that it is, which says what next.
    #[track_caller]
    fn problem(self, status: u16) -> Value {
        let problem = self.rejection(status);
        assert!(problem["next"].is_string(), "{problem}");
        problem
    }

    /// The same where what is wrong says what would be right.
    #[track_caller]
    fn rejection(self, status: u16) -> Value {
        assert_eq!(self.status, status, "{self:?}");
        assert_eq!(self.header("content-type"), Some("application/problem+json"), "{self:?}");
        let problem = self.json();
        assert!(problem["detail"].is_string(), "{problem}");
        problem
    }

    /// The session cookie of the response.
    #[track_caller]
    fn session(&self) -> String {
        let cookie = self.header("set-cookie").unwrap_or_else(|| panic!("{self:?}"));
        cookie.split(';').next().unwrap().to_owned()
    }
}

/// Sends bytes and reads the response to its end.
async fn say(address: SocketAddr, bytes: impl AsRef<[u8]>) -> Answer {
    let mut connection = TcpStream::connect(address).await.unwrap();
    connection.write_all(bytes.as_ref()).await.unwrap();
    let mut answer = Vec::new();
    // A server that rejects a request may close the connection early.
    let _ = timeout(IN_TIME, connection.read_to_end(&mut answer)).await.expect("no end in time");
    Answer::of(&String::from_utf8_lossy(&answer))
}

/// A request with these headers and this body.
fn request(line: &str, headers: &[&str], body: &str) -> String {
    let own = headers.iter().any(|header| header.to_ascii_lowercase().starts_with("host:"));
    let host = if own { "" } else { "Host: localhost\r\n" };
    let headers: String = headers.iter().map(|header| format!("{header}\r\n")).collect();
    let length = body.len();
    format!(
        "{line} HTTP/1.1\r\n{host}{headers}Connection: close\r\nContent-Length: {length}\r\n\r\n{body}"
    )
}

impl World {
    async fn ask(&self, line: &str, headers: &[&str], body: &str) -> Answer {
        say(self.address, request(line, headers, body)).await
    }

    /// Sends a request with a token.
    async fn ask_as(&self, token: &NewToken, line: &str) -> Answer {
        self.ask(line, &[&bearer(token)], "").await
    }

    async fn submit_as(&self, token: &NewToken, task: &str) -> Answer {
        let headers = ["Content-Type: application/json", &bearer(token)];
        self.ask("POST /api/v1/tasks", &headers, task).await
    }

    async fn log_in(&self, token: &NewToken) -> Answer {
        self.log_in_with(&[], token.secret(), "").await
    }

    async fn log_in_with(&self, headers: &[&str], token: &str, next: &str) -> Answer {
        let form = "Content-Type: application/x-www-form-urlencoded";
        let headers = [headers, &[form]].concat();
        self.ask("POST /login", &headers, &format!("token={token}&next={next}")).await
    }

    /// Repeats a request until it has this status: files are reloaded with a delay.
    async fn until_status(&self, status: u16, line: &str, headers: &[&str]) -> Answer {
        eventually_some("the response has the status", async || {
            let answer = self.ask(line, headers, "").await;
            (answer.status == status).then_some(answer)
        })
        .await
    }

    /// Stops the server, which writes all entries, and reads the audit log, oldest first.
    async fn log(self) -> Vec<AuditEntry> {
        self.stop.send(()).unwrap();
        self.running.await.unwrap().unwrap();
        let mut all = AuditQuery::default();
        all.page.limit = 500;
        let mut entries = self.store.audit_entries(&all).await.unwrap().items;
        entries.reverse();
        entries
    }
}

fn bearer(token: &NewToken) -> String {
    format!("Authorization: Bearer {}", token.secret())
}
