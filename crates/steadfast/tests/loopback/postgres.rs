//! As much of a PostgreSQL server as it takes to fail: it lets a client in and
//! answers its statements with an error, with silence, or by a script.

use std::collections::VecDeque;
use std::net::SocketAddr;
use std::sync::{Arc, Mutex};

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};

use super::peer;

/// A server that rejects every login.
pub(crate) async fn refusing(sqlstate: &'static str) -> SocketAddr {
    peer(move |mut stream| async move {
        read_startup(&mut stream).await;
        stream.write_all(&error("FATAL", sqlstate)).await.unwrap();
    })
    .await
}

/// A server on which every statement fails.
pub(crate) async fn failing(sqlstate: &'static str) -> SocketAddr {
    peer(move |mut stream| async move {
        welcome(&mut stream).await;
        while read_message(&mut stream).await.is_some_and(|(tag, _)| tag == b'Q') {
            let answer = [error("ERROR", sqlstate), ready()].concat();
            stream.write_all(&answer).await.unwrap();
        }
    })
    .await
}

/// A server that goes away while it works on a statement.
pub(crate) async fn leaving() -> SocketAddr {
    peer(|mut stream| async move {
        welcome(&mut stream).await;
        read_message(&mut stream).await;
    })
    .await
}

/// What is done with a statement.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Reply {
    /// It succeeds, and has no rows.
    Done,
    /// It fails with this SQLSTATE.
    Fails(&'static str),
    /// The server goes away.
    Leaves,
}

/// A server that answers statements by a script, and those after it with success.
pub(crate) struct Server {
    pub(crate) address: SocketAddr,
    statements: Arc<Mutex<Vec<String>>>,
}

impl Server {
    /// All statements so far, over all connections. A slash stands for a new one.
    pub(crate) fn statements(&self) -> String {
        self.statements.lock().unwrap().join(" ")
    }
}

pub(crate) async fn server(script: impl IntoIterator<Item = Reply>) -> Server {
    let listener = TcpListener::bind(("127.0.0.1", 0)).await.unwrap();
    let address = listener.local_addr().unwrap();
    let script = Arc::new(Mutex::new(script.into_iter().collect::<VecDeque<_>>()));
    let statements = Arc::new(Mutex::new(Vec::new()));
    let server = Server { address, statements: Arc::clone(&statements) };
    tokio::spawn(async move {
        loop {
            let (stream, _) = listener.accept().await.unwrap();
            statements.lock().unwrap().push("/".to_owned());
            let (script, statements) = (Arc::clone(&script), Arc::clone(&statements));
            tokio::spawn(play(stream, script, statements));
        }
    });
    server
}

async fn play(
    mut stream: TcpStream,
    script: Arc<Mutex<VecDeque<Reply>>>,
    statements: Arc<Mutex<Vec<String>>>,
) {
    welcome(&mut stream).await;
    let mut state = b"I";
    while let Some((tag, body)) = read_message(&mut stream).await {
        let answer = match tag {
            b'Q' => {
                let statement = String::from_utf8(body).unwrap();
                let word = statement.trim_end_matches('\0').split(' ').next().unwrap().to_owned();
                statements.lock().unwrap().push(word.clone());
                let reply = script.lock().unwrap().pop_front().unwrap_or(Reply::Done);
                let ends = word == "COMMIT" || word == "ROLLBACK";
                match reply {
                    Reply::Done => {
                        state = if ends { b"I" } else { b"T" };
                        let done = message(b'C', format!("{word}\0").as_bytes());
                        [done, ready_in(state)].concat()
                    }
                    Reply::Fails(sqlstate) => {
                        state = if ends { b"I" } else { b"E" };
                        [error("ERROR", sqlstate), ready_in(state)].concat()
                    }
                    Reply::Leaves => return,
                }
            }
            // Whether it is still there.
            b'S' => ready_in(state),
            _ => return,
        };
        if stream.write_all(&answer).await.is_err() {
            return;
        }
    }
}

async fn welcome(stream: &mut TcpStream) {
    read_startup(stream).await;
    let authenticated = message(b'R', &0_u32.to_be_bytes());
    let key = message(b'K', &[0; 8]);
    let version = message(b'S', b"server_version\x0015.0\0");
    let encoding = message(b'S', b"client_encoding\0UTF8\0");
    let hello = [authenticated, version, encoding, key, ready()].concat();
    stream.write_all(&hello).await.unwrap();
}

/// The first message of a client has no tag.
async fn read_startup(stream: &mut TcpStream) {
    read_body(stream).await.unwrap();
}

async fn read_message(stream: &mut TcpStream) -> Option<(u8, Vec<u8>)> {
    let tag = stream.read_u8().await.ok()?;
    Some((tag, read_body(stream).await?))
}

async fn read_body(stream: &mut TcpStream) -> Option<Vec<u8>> {
    let length = stream.read_u32().await.ok()?;
    let mut body = vec![0; usize::try_from(length).ok()?.checked_sub(4)?];
    stream.read_exact(&mut body).await.ok()?;
    Some(body)
}

fn ready() -> Vec<u8> {
    ready_in(b"I")
}

/// Ready for a statement: idle, in a transaction, or in one that has failed.
fn ready_in(state: &[u8; 1]) -> Vec<u8> {
    message(b'Z', state)
}

fn error(severity: &str, sqlstate: &str) -> Vec<u8> {
    let fields = format!("S{severity}\0V{severity}\0C{sqlstate}\0Mas the test wished\0\0");
    message(b'E', fields.as_bytes())
}

fn message(tag: u8, body: &[u8]) -> Vec<u8> {
    let length = u32::try_from(body.len() + 4).unwrap();
    [&[tag], &length.to_be_bytes()[..], body].concat()
}
