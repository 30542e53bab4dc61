//! A fault-injecting proxy between a client and its server.
//!
//! It parses just enough HTTP to know where a request ends and a response begins, so that it can cut a
//! connection before the request, between the two, or in the middle of the response.

mod capacity;
mod fault_plan;
mod injected_fault;

use std::convert::Infallible;
use std::io;
use std::net::{Ipv4Addr, SocketAddr};
use std::pin::Pin;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll};

use bytes::Bytes;
use http_body_util::combinators::BoxBody;
use http_body_util::{BodyExt, Full};
use hyper::body::{Body, Frame, Incoming};
use hyper::header::{CONNECTION, RETRY_AFTER};
use hyper::service::service_fn;
use hyper::{Request, Response, client, server};
use hyper_util::rt::TokioIo;
use tokio::io::AsyncWriteExt;
use tokio::net::{TcpListener, TcpStream};
use tokio::task::JoinHandle;
use tokio::time::{Instant, sleep, sleep_until};

pub use capacity::Capacity;
pub use fault_plan::FaultPlan;
pub use injected_fault::InjectedFault;

type Problem = Box<dyn std::error::Error + Send + Sync>;
type Answer = Response<BoxBody<Bytes, Problem>>;

/// A proxy on a port of the loopback interface, stopped when dropped.
#[derive(Debug)]
pub struct Proxy {
    address: SocketAddr,
    shared: Arc<Shared>,
    accepting: JoinHandle<()>,
}

#[derive(Debug)]
struct Shared {
    server: SocketAddr,
    fault_plan: Mutex<FaultPlan>,
    connections: AtomicU64,
    requests: AtomicU64,
}

impl Proxy {
    /// Starts a proxy in front of this server.
    ///
    /// # Errors
    /// No port is available.
    pub async fn start(server: SocketAddr, fault_plan: FaultPlan) -> io::Result<Self> {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await?;
        let address = listener.local_addr()?;
        let shared = Arc::new(Shared {
            server,
            fault_plan: Mutex::new(fault_plan),
            connections: AtomicU64::new(0),
            requests: AtomicU64::new(0),
        });
        let accepting = tokio::spawn(accept(listener, Arc::clone(&shared)));
        Ok(Self { address, shared, accepting })
    }

    /// Its address for clients.
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// The fault plan, to change it.
    pub fn fault_plan(&self) -> MutexGuard<'_, FaultPlan> {
        self.shared.fault_plan()
    }

    /// The number of accepted connections.
    pub fn connections(&self) -> u64 {
        self.shared.connections.load(Ordering::Relaxed)
    }

    /// The number of requests.
    pub fn requests(&self) -> u64 {
        self.shared.requests.load(Ordering::Relaxed)
    }
}

impl Drop for Proxy {
    fn drop(&mut self) {
        self.accepting.abort();
    }
}

impl Shared {
    fn fault_plan(&self) -> MutexGuard<'_, FaultPlan> {
        self.fault_plan.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

async fn accept(listener: TcpListener, shared: Arc<Shared>) {
    while let Ok((stream, _)) = listener.accept().await {
        shared.connections.fetch_add(1, Ordering::Relaxed);
        let shared = Arc::clone(&shared);
        let service = service_fn(move |request| handle(request, Arc::clone(&shared)));
        let _ = stream.set_nodelay(true);
        // An injected fault ends it with an error.
        tokio::spawn(
            server::conn::http1::Builder::new().serve_connection(TokioIo::new(stream), service),
        );
    }
}

/// Handles one request. An error closes the connection without a response.
async fn handle(request: Request<Incoming>, shared: Arc<Shared>) -> Result<Answer, Problem> {
    shared.requests.fetch_add(1, Ordering::Relaxed);
    let (head, body) = request.into_parts();
    let request = Request::from_parts(head, Full::new(body.collect().await?.to_bytes()));
    let is_insert = request.uri().query().is_some_and(|query| query.contains("query=INSERT"));
    let (fault, when) = shared.fault_plan().next(is_insert, Instant::now());
    sleep_until(when).await;
    match fault {
        InjectedFault::DropBefore => return Err("dropped before".into()),
        InjectedFault::CutRequest => {
            pass_on_half(request, shared.server).await?;
            return Err("dropped in the middle".into());
        }
        InjectedFault::Answer(status, wait) => return answer(status, wait),
        _ => {}
    }
    // A request in transit still arrives if the client disconnects.
    let passing_on = tokio::spawn(async move {
        if let InjectedFault::LateRequest(late) = fault {
            sleep(late).await;
        }
        pass_on(request, shared.server).await
    });
    let answer = passing_on.await??;
    match fault {
        InjectedFault::DropAfter => Err("dropped after".into()),
        InjectedFault::CutAnswer => Ok(answer.map(|_| Cut::HeadOnly.boxed())),
        InjectedFault::SlowAnswer(slow) => {
            sleep(slow).await;
            Ok(answer)
        }
        _ => Ok(answer),
    }
}

/// Sends a request to the server, and waits for the whole response.
async fn pass_on(mut request: Request<Full<Bytes>>, server: SocketAddr) -> Result<Answer, Problem> {
    request.headers_mut().insert(CONNECTION, hyper::header::HeaderValue::from_static("close"));
    let stream = TcpStream::connect(server).await?;
    let (mut sender, traffic) = client::conn::http1::handshake(TokioIo::new(stream)).await?;
    tokio::spawn(traffic);
    let (head, body) = sender.send_request(request).await?.into_parts();
    let body = whole(body.collect().await?.to_bytes());
    let mut answer = Response::builder().status(head.status);
    if let Some(wait) = head.headers.get(RETRY_AFTER) {
        answer = answer.header(RETRY_AFTER, wait);
    }
    Ok(answer.body(body)?)
}

/// Announces a whole request to the server, sends half of it, and waits until the server is done.
async fn pass_on_half(request: Request<Full<Bytes>>, server: SocketAddr) -> Result<(), Problem> {
    let (head, body) = request.into_parts();
    let body = body.collect().await?.to_bytes();
    let mut text = format!("POST {} HTTP/1.1\r\n", head.uri);
    for (name, value) in &head.headers {
        text.push_str(&format!("{name}: {}\r\n", value.to_str()?));
    }
    let mut stream = TcpStream::connect(server).await?;
    stream.write_all(text.as_bytes()).await?;
    stream.write_all(b"\r\n").await?;
    stream.write_all(body.get(..body.len() / 2).unwrap_or_default()).await?;
    stream.shutdown().await?;
    tokio::io::copy(&mut stream, &mut tokio::io::sink()).await?;
    Ok(())
}

fn answer(status: u16, wait: Option<u32>) -> Result<Answer, Problem> {
    let mut answer = Response::builder().status(status);
    if let Some(seconds) = wait {
        answer = answer.header(RETRY_AFTER, seconds);
    }
    Ok(answer.body(whole(Bytes::from_static(b"not now")))?)
}

fn whole(bytes: Bytes) -> BoxBody<Bytes, Problem> {
    Full::new(bytes).map_err(|never: Infallible| match never {}).boxed()
}

/// A body that fails after the head of the response was sent.
enum Cut {
    HeadOnly,
    Broken,
}

impl Cut {
    fn boxed(self) -> BoxBody<Bytes, Problem> {
        BodyExt::boxed(self)
    }
}

impl Body for Cut {
    type Data = Bytes;
    type Error = Problem;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Problem>>> {
        if let Self::HeadOnly = *self {
            *self = Self::Broken;
            context.waker().wake_by_ref();
            return Poll::Pending;
        }
        Poll::Ready(Some(Err("the response is cut".into())))
    }
}
