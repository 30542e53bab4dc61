//! Scripted HTTP servers on the loopback interface, and a scripted resolver.

#![allow(dead_code, reason = "each test file needs some of it")]

use std::collections::{HashMap, VecDeque};
use std::io;
use std::net::{IpAddr, SocketAddr};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use async_trait::async_trait;
use serde_json::Value;
use steadfast::Class;
use steadfast::Failure;
use steadfast::judge::{self, Rules};
use steadfast_worker::handlers::{
    HandlerError, Http, HttpCall, HttpLimits, HttpResponse, Resolver, Targets,
};
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt};
use tokio::net::TcpListener;
use tokio::sync::{Notify, watch};
use tokio::time::Instant;

/// The reply to a request.
#[derive(Clone, Debug)]
pub(crate) enum Reply {
    /// An answer, after which the connection is closed.
    Answer(Vec<u8>),
    /// The same, once notified.
    Later(Arc<Notify>, Vec<u8>),
    /// The beginning of an answer, and then nothing.
    Silence(Vec<u8>),
    /// The beginning of an answer, and then bytes until the connection is closed.
    Endless(Vec<u8>),
}

/// An answer with a body, and with more headers, each with its line end.
pub(crate) fn answer(status: u16, headers: &str, body: impl AsRef<[u8]>) -> Reply {
    let body = body.as_ref();
    let head = format!("HTTP/1.1 {status} -\r\n{headers}Content-Length: {}\r\n\r\n", body.len());
    Reply::Answer([head.as_bytes(), body].concat())
}

pub(crate) fn redirect(status: u16, to: impl std::fmt::Display) -> Reply {
    answer(status, &format!("Location: {to}\r\n"), "")
}

/// A received request.
#[derive(Clone, Debug)]
pub(crate) struct ReceivedRequest {
    head: String,
    pub(crate) body: String,
}

impl ReceivedRequest {
    pub(crate) fn first_line(&self) -> &str {
        self.head.lines().next().unwrap()
    }

    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        self.head.lines().skip(1).find_map(|line| {
            let (found, value) = line.split_once(':')?;
            found.eq_ignore_ascii_case(name).then(|| value.trim())
        })
    }
}

#[derive(Clone)]
struct Script {
    replies: Arc<Mutex<VecDeque<Reply>>>,
    requests: Arc<Mutex<Vec<ReceivedRequest>>>,
    /// How many requests were read, and how many of their connections are closed.
    progress: watch::Sender<(usize, usize)>,
}

pub(crate) struct Server {
    pub(crate) address: SocketAddr,
    state: Script,
}

impl Server {
    /// A server with these replies, in order. A further request gets 501.
    pub(crate) async fn start(script: impl IntoIterator<Item = Reply>) -> Self {
        Self::start_at([127, 0, 0, 1].into(), script).await
    }

    pub(crate) async fn start_at(ip: IpAddr, script: impl IntoIterator<Item = Reply>) -> Self {
        let listener = TcpListener::bind((ip, 0)).await.unwrap();
        let address = listener.local_addr().unwrap();
        let state = Script {
            replies: Arc::new(Mutex::new(script.into_iter().collect())),
            requests: Arc::default(),
            progress: watch::Sender::default(),
        };
        let server = Self { address, state: state.clone() };
        tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                tokio::spawn(serve(stream, state.clone()));
            }
        });
        server
    }

    pub(crate) fn url(&self) -> String {
        format!("http://{}/", self.address)
    }

    /// All requests so far.
    pub(crate) fn requests(&self) -> Vec<ReceivedRequest> {
        self.state.requests.lock().unwrap().clone()
    }

    /// Waits until this many requests were read.
    pub(crate) async fn requested(&self, times: usize) {
        self.state.progress.subscribe().wait_for(|(read, _)| *read >= times).await.unwrap();
    }

    /// Waits until this many connections are closed.
    pub(crate) async fn closed(&self, times: usize) {
        self.state.progress.subscribe().wait_for(|(_, over)| *over >= times).await.unwrap();
    }
}

async fn serve(stream: impl AsyncRead + AsyncWrite + Unpin, state: Script) {
    let mut stream = stream;
    let Some(request) = read(&mut stream).await else {
        return;
    };
    state.requests.lock().unwrap().push(request);
    state.progress.send_modify(|(read, _)| *read += 1);
    let reply = state.replies.lock().unwrap().pop_front();
    match reply.unwrap_or_else(|| answer(501, "", "")) {
        Reply::Answer(bytes) => {
            let _ = stream.write_all(&bytes).await;
            let _ = stream.shutdown().await;
        }
        Reply::Later(go, bytes) => {
            go.notified().await;
            let _ = stream.write_all(&bytes).await;
            let _ = stream.shutdown().await;
        }
        Reply::Silence(beginning) => {
            let _ = stream.write_all(&beginning).await;
            let _ = stream.read_u8().await;
        }
        Reply::Endless(beginning) => {
            let _ = stream.write_all(&beginning).await;
            while stream.write_all(&[b'x'; 4096]).await.is_ok() {}
        }
    }
    state.progress.send_modify(|(_, over)| *over += 1);
}

/// Reads one request; `None` if the client has closed the connection.
pub(crate) async fn read(stream: &mut (impl AsyncRead + Unpin)) -> Option<ReceivedRequest> {
    let mut head = Vec::new();
    while !head.ends_with(b"\r\n\r\n") {
        head.push(stream.read_u8().await.ok()?);
    }
    let mut request =
        ReceivedRequest { head: String::from_utf8(head).unwrap(), body: String::new() };
    let length = request.header("content-length").map_or(0, |length| length.parse().unwrap());
    let mut body = vec![0; length];
    stream.read_exact(&mut body).await.ok()?;
    request.body = String::from_utf8(body).unwrap();
    Some(request)
}

/// Names and their addresses, one answer after the other; the last one is repeated.
#[derive(Clone, Default)]
pub(crate) struct Names {
    answers: Arc<Mutex<HashMap<String, VecDeque<Vec<IpAddr>>>>>,
    resolved: Arc<Mutex<Vec<String>>>,
}

impl Names {
    /// Adds an answer for a name.
    pub(crate) fn with(self, name: &str, addresses: &[&str]) -> Self {
        let addresses = addresses.iter().map(|address| address.parse().unwrap()).collect();
        self.answers.lock().unwrap().entry(name.to_owned()).or_default().push_back(addresses);
        self
    }

    /// The names that were resolved.
    pub(crate) fn resolved(&self) -> Vec<String> {
        self.resolved.lock().unwrap().clone()
    }
}

#[async_trait]
impl Resolver for Names {
    async fn addresses(&self, host: &str) -> io::Result<Vec<IpAddr>> {
        self.resolved.lock().unwrap().push(host.to_owned());
        let mut answers = self.answers.lock().unwrap();
        let answers = answers.get_mut(host).ok_or_else(|| io::Error::other("no such name"))?;
        let next = if answers.len() > 1 { answers.pop_front() } else { answers.front().cloned() };
        Ok(next.unwrap_or_default())
    }
}

/// Advances the paused clock.
pub(crate) async fn advance(time: Duration) {
    tokio::time::pause();
    tokio::time::advance(time).await;
    tokio::time::resume();
}

/// The result of a call, and its duration on the test clock.
pub(crate) async fn timed<T>(call: impl Future<Output = T>) -> (T, Duration) {
    let start = Instant::now();
    (call.await, start.elapsed())
}

pub(crate) fn targets(rules: &[&str]) -> Targets {
    Targets::new(rules.iter().map(|rule| rule.parse().unwrap()))
}

/// A handler that may call these targets, with this resolver.
pub(crate) fn http(rules: &[&str], names: &Names) -> Http {
    Http::with(targets(rules), HttpLimits::default(), names.clone()).unwrap()
}

/// A handler that may call the servers of a test.
pub(crate) fn loopback() -> Http {
    http(&["127.0.0.0/8"], &Names::default())
}

pub(crate) async fn call(http: &Http, payload: Value) -> Result<HttpResponse, HandlerError> {
    http.call(HttpCall::parse(&payload.to_string())?, None).await
}

pub(crate) fn class(fault: &HandlerError) -> Class {
    judge::judge(&Rules::default(), &fault.fault()).class()
}
