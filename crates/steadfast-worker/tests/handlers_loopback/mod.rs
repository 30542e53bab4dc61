//! HTTP servers on the loopback interface that do as a test says, and names that lead to them.

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
    HandlerFault, Http, HttpAnswer, HttpCall, HttpLimits, Resolver, Targets,
};
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt};
use tokio::net::TcpListener;
use tokio::sync::{Notify, watch};
use tokio::time::Instant;

/// What is done with a request.
#[derive(Clone, Debug)]
pub(crate) enum Reply {
    /// An answer, after which the connection is closed.
    Answer(Vec<u8>),
    /// The same, once it is told to.
    Later(Arc<Notify>, Vec<u8>),
    /// The beginning of an answer, and then nothing.
    Silence(Vec<u8>),
    /// The beginning of an answer, and then bytes for as long as they are taken.
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

/// A request, as it arrived.
#[derive(Clone, Debug)]
pub(crate) struct Seen {
    head: String,
    pub(crate) body: String,
}

impl Seen {
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
struct Play {
    script: Arc<Mutex<VecDeque<Reply>>>,
    seen: Arc<Mutex<Vec<Seen>>>,
    /// How many requests were read, and how many of their connections are over.
    progress: watch::Sender<(usize, usize)>,
}

pub(crate) struct Server {
    pub(crate) address: SocketAddr,
    play: Play,
}

impl Server {
    /// A server that plays this script. A request that is not in it gets 501, which no test wants.
    pub(crate) async fn start(script: impl IntoIterator<Item = Reply>) -> Self {
        Self::start_at([127, 0, 0, 1].into(), script).await
    }

    pub(crate) async fn start_at(ip: IpAddr, script: impl IntoIterator<Item = Reply>) -> Self {
        let listener = TcpListener::bind((ip, 0)).await.unwrap();
        let address = listener.local_addr().unwrap();
        let play = Play {
            script: Arc::new(Mutex::new(script.into_iter().collect())),
            seen: Arc::default(),
            progress: watch::Sender::default(),
        };
        let server = Self { address, play: play.clone() };
        tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                tokio::spawn(converse(stream, play.clone()));
            }
        });
        server
    }

    pub(crate) fn url(&self) -> String {
        format!("http://{}/", self.address)
    }

    /// All requests so far.
    pub(crate) fn seen(&self) -> Vec<Seen> {
        self.play.seen.lock().unwrap().clone()
    }

    /// Waits until so many requests were read.
    pub(crate) async fn asked(&self, times: usize) {
        self.play.progress.subscribe().wait_for(|(read, _)| *read >= times).await.unwrap();
    }

    /// Waits until so many connections are over.
    pub(crate) async fn closed(&self, times: usize) {
        self.play.progress.subscribe().wait_for(|(_, over)| *over >= times).await.unwrap();
    }
}

async fn converse(stream: impl AsyncRead + AsyncWrite + Unpin, play: Play) {
    let mut stream = stream;
    let Some(seen) = read(&mut stream).await else {
        return;
    };
    play.seen.lock().unwrap().push(seen);
    play.progress.send_modify(|(read, _)| *read += 1);
    let reply = play.script.lock().unwrap().pop_front();
    match reply.unwrap_or_else(|| answer(501, "", "")) {
        Reply::Answer(bytes) => {
            let _ = stream.write_all(&bytes).await;
            let _ = stream.shutdown().await;
        }
        Reply::Later(told, bytes) => {
            told.notified().await;
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
    play.progress.send_modify(|(_, over)| *over += 1);
}

/// One request, or nothing if the other side has closed.
pub(crate) async fn read(stream: &mut (impl AsyncRead + Unpin)) -> Option<Seen> {
    let mut head = Vec::new();
    while !head.ends_with(b"\r\n\r\n") {
        head.push(stream.read_u8().await.ok()?);
    }
    let mut seen = Seen { head: String::from_utf8(head).unwrap(), body: String::new() };
    let length = seen.header("content-length").map_or(0, |length| length.parse().unwrap());
    let mut body = vec![0; length];
    stream.read_exact(&mut body).await.ok()?;
    seen.body = String::from_utf8(body).unwrap();
    Some(seen)
}

/// Names and what they stand for, one answer after the other; the last one stays.
#[derive(Clone, Default)]
pub(crate) struct Names {
    answers: Arc<Mutex<HashMap<String, VecDeque<Vec<IpAddr>>>>>,
    asked: Arc<Mutex<Vec<String>>>,
}

impl Names {
    /// The same, with a name that stands for these addresses.
    pub(crate) fn with(self, name: &str, addresses: &[&str]) -> Self {
        let addresses = addresses.iter().map(|address| address.parse().unwrap()).collect();
        self.answers.lock().unwrap().entry(name.to_owned()).or_default().push_back(addresses);
        self
    }

    /// The names that were asked for.
    pub(crate) fn asked(&self) -> Vec<String> {
        self.asked.lock().unwrap().clone()
    }
}

#[async_trait]
impl Resolver for Names {
    async fn addresses(&self, host: &str) -> io::Result<Vec<IpAddr>> {
        self.asked.lock().unwrap().push(host.to_owned());
        let mut answers = self.answers.lock().unwrap();
        let answers = answers.get_mut(host).ok_or_else(|| io::Error::other("no such name"))?;
        let next = if answers.len() > 1 { answers.pop_front() } else { answers.front().cloned() };
        Ok(next.unwrap_or_default())
    }
}

/// Lets time pass at once.
pub(crate) async fn pass(time: Duration) {
    tokio::time::pause();
    tokio::time::advance(time).await;
    tokio::time::resume();
}

/// What comes of a call, and how long it took with the time that passed at once.
pub(crate) async fn timed<T>(call: impl Future<Output = T>) -> (T, Duration) {
    let start = Instant::now();
    (call.await, start.elapsed())
}

pub(crate) fn targets(rules: &[&str]) -> Targets {
    Targets::new(rules.iter().map(|rule| rule.parse().unwrap()))
}

/// A handler that may call these targets, by these names.
pub(crate) fn http(rules: &[&str], names: &Names) -> Http {
    Http::with(targets(rules), HttpLimits::default(), names.clone()).unwrap()
}

/// A handler that may call the servers of a test.
pub(crate) fn loopback() -> Http {
    http(&["127.0.0.0/8"], &Names::default())
}

pub(crate) async fn call(http: &Http, payload: Value) -> Result<HttpAnswer, HandlerFault> {
    http.call(HttpCall::read(&payload.to_string())?, None).await
}

pub(crate) fn class(fault: &HandlerFault) -> Class {
    judge::judge(&Rules::default(), &fault.fault()).class()
}
