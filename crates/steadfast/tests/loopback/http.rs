//! An HTTP server that does with each request what a test wrote down for it,
//! and remembers what it was sent.

use std::collections::VecDeque;
use std::net::SocketAddr;
use std::sync::{Arc, Mutex};

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};

use super::reset;

/// What is done with a request.
#[derive(Clone, Debug)]
pub(crate) enum Reply {
    /// A response, after which the connection is kept.
    Answer(String),
    /// The beginning of a response; the rest never comes.
    Beginning(String),
    /// The connection is reset.
    Reset,
}

/// A response without a body.
pub(crate) fn status(status: u16) -> Reply {
    status_with(status, "")
}

/// The same, with more headers, each of them with its line end.
pub(crate) fn status_with(status: u16, headers: &str) -> Reply {
    Reply::Answer(format!("HTTP/1.1 {status} -\r\n{headers}Content-Length: 0\r\n\r\n"))
}

/// A request, as it arrived.
#[derive(Clone, Debug)]
pub(crate) struct Seen {
    /// The number of the connection it arrived on, from 0.
    pub(crate) connection: usize,
    head: String,
    pub(crate) body: String,
}

impl Seen {
    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        self.head.lines().find_map(|line| {
            let (found, value) = line.split_once(':')?;
            found.eq_ignore_ascii_case(name).then(|| value.trim())
        })
    }
}

#[derive(Clone, Default)]
struct Play {
    script: Arc<Mutex<VecDeque<Reply>>>,
    seen: Arc<Mutex<Vec<Seen>>>,
}

pub(crate) struct Server {
    pub(crate) address: SocketAddr,
    play: Play,
}

impl Server {
    /// All requests so far.
    pub(crate) fn seen(&self) -> Vec<Seen> {
        self.play.seen.lock().unwrap().clone()
    }

    pub(crate) fn url(&self) -> String {
        format!("http://{}/", self.address)
    }
}

/// A server that plays this script. A request that is not in it gets 501, which no test asks for.
pub(crate) async fn server(script: impl IntoIterator<Item = Reply>) -> Server {
    let listener = TcpListener::bind(("127.0.0.1", 0)).await.unwrap();
    serve(listener, script)
}

/// The same, on a socket that was bound before it listens.
pub(crate) fn serve(listener: TcpListener, script: impl IntoIterator<Item = Reply>) -> Server {
    let address = listener.local_addr().unwrap();
    let play =
        Play { script: Arc::new(Mutex::new(script.into_iter().collect())), ..Play::default() };
    let server = Server { address, play: play.clone() };
    tokio::spawn(async move {
        for connection in 0.. {
            let (stream, _) = listener.accept().await.unwrap();
            tokio::spawn(converse(stream, connection, play.clone()));
        }
    });
    server
}

async fn converse(mut stream: TcpStream, connection: usize, play: Play) {
    while let Some((head, body)) = read(&mut stream).await {
        play.seen.lock().unwrap().push(Seen { connection, head, body });
        let reply = play.script.lock().unwrap().pop_front();
        match reply.unwrap_or_else(|| status(501)) {
            Reply::Answer(answer) => stream.write_all(answer.as_bytes()).await.unwrap(),
            Reply::Beginning(answer) => {
                stream.write_all(answer.as_bytes()).await.unwrap();
                let _ = stream.read_u8().await;
                return;
            }
            Reply::Reset => return reset(stream),
        }
    }
}

/// One request, or nothing if the other side has closed.
async fn read(stream: &mut TcpStream) -> Option<(String, String)> {
    let head = read_until(stream, b"\r\n\r\n").await?;
    let length = head.lines().find_map(|line| {
        let (name, value) = line.split_once(':')?;
        name.eq_ignore_ascii_case("content-length").then(|| value.trim().parse().unwrap())
    });
    let body = match length {
        Some(length) => {
            let mut body = vec![0; length];
            stream.read_exact(&mut body).await.ok()?;
            String::from_utf8(body).unwrap()
        }
        None if head.to_ascii_lowercase().contains("transfer-encoding: chunked") => {
            read_until(stream, b"\r\n0\r\n\r\n").await?
        }
        None => String::new(),
    };
    Some((head, body))
}

async fn read_until(stream: &mut TcpStream, end: &[u8]) -> Option<String> {
    let mut read = Vec::new();
    while !read.ends_with(end) {
        read.push(stream.read_u8().await.ok()?);
    }
    Some(String::from_utf8(read).unwrap())
}
