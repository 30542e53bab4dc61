//! Lost responses (J9): a proxy drops the first response.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use steadfast_api::remote::Remote;
use steadfast_api::{Api, ErrorKind, NewTask, TaskFilter};
use steadfast_store::TaskId;
use tokio::io::{AsyncReadExt, AsyncWriteExt, copy_bidirectional};
use tokio::net::{TcpListener, TcpStream};

use crate::bound;

/// A proxy in front of the server.
struct Proxy {
    remote: Remote,
    connections: Arc<AtomicUsize>,
}

/// A proxy that forwards the first request and drops its response, and forwards everything after
/// that.
async fn drop_first_response() -> Proxy {
    let server = bound().await;
    let to = server.address();
    tokio::spawn(server.run_until(std::future::pending()));
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    let connections = Arc::new(AtomicUsize::new(0));
    let count = connections.clone();
    tokio::spawn(async move {
        loop {
            let (mut client, _) = listener.accept().await.unwrap();
            let mut server = TcpStream::connect(to).await.unwrap();
            let is_first = count.fetch_add(1, Ordering::SeqCst) == 0;
            tokio::spawn(async move {
                if !is_first {
                    let _ = copy_bidirectional(&mut client, &mut server).await;
                    return;
                }
                let mut buffer = vec![0; 1 << 16];
                let read = client.read(&mut buffer).await.unwrap();
                server.write_all(&buffer[..read]).await.unwrap();
                // The server has responded, so the request is done.
                let _ = server.read(&mut buffer).await.unwrap();
            });
        }
    });
    Proxy { remote: Remote::new(&format!("http://{address}")).unwrap(), connections }
}

fn task() -> NewTask {
    NewTask::from_json(r#"{"kind": "k", "payload": 1}"#).unwrap()
}

/// J9, D9: a submit whose response is lost is repeated, and creates one task.
#[tokio::test]
async fn submit_with_lost_response_creates_one_task() {
    let Proxy { remote, connections } = drop_first_response().await;
    let submitted = remote.submit(task()).await.unwrap();
    assert_eq!(connections.load(Ordering::SeqCst), 2);
    assert!(!submitted.existed);
    assert_eq!(remote.stats().await.unwrap().total(), 1);
}

/// J9: so is a batch.
#[tokio::test]
async fn batch_with_lost_response_is_submitted_once() {
    let Proxy { remote, .. } = drop_first_response().await;
    let submitted = remote.submit_all(vec![task(), task()]).await.unwrap();
    assert!(submitted.iter().all(|task| !task.existed));
    assert_eq!(remote.stats().await.unwrap().total(), 2);
}

/// J9: a command that may have been executed is not repeated.
#[tokio::test]
async fn command_with_lost_response_is_not_repeated() {
    let Proxy { remote, connections } = drop_first_response().await;
    let error = remote.cancel(TaskId::fresh()).await.unwrap_err();
    assert_eq!(error.kind, ErrorKind::Unreachable, "{error}");
    assert!(error.detail.contains("closed the connection") && error.next.is_some(), "{error}");
    assert_eq!(connections.load(Ordering::SeqCst), 1);
}

/// J2: a read is repeated.
#[tokio::test]
async fn read_with_lost_response_is_repeated() {
    let Proxy { remote, connections } = drop_first_response().await;
    remote.tasks(&TaskFilter::default(), &Default::default()).await.unwrap();
    assert_eq!(connections.load(Ordering::SeqCst), 2);
}

/// Section 10: an unreachable server is reported with advice.
#[tokio::test]
async fn unreachable_server_is_reported_with_advice() {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    drop(listener);
    let error = Remote::new(&format!("http://{address}")).unwrap().stats().await.unwrap_err();
    assert_eq!(error.kind, ErrorKind::Unreachable);
    assert!(error.detail.contains(&address.to_string()), "{error}");
    assert!(error.detail.to_lowercase().contains("refused"), "{error}");
    assert!(error.next.unwrap().contains("steadfast serve"));
}
