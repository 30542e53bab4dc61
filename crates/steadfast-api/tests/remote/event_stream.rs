//! Streams of events (O1).

use std::time::Duration;

use steadfast::Fault;
use steadfast_api::remote::Remote;
use steadfast_api::{Api, AttemptFailure, EventFilter, NewClaim, NewTask};
use steadfast_server::Server;
use steadfast_store::{Retention, Store};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpListener;
use tokio::sync::oneshot;
use tokio::time::{Instant, timeout};

use crate::policies;

/// Fails a task of the policy `twice`, which creates two events.
async fn two_events(api: &dyn Api) {
    let json = r#"{"kind": "k", "payload": 1, "policy": "twice"}"#;
    api.submit(NewTask::from_json(json).unwrap()).await.unwrap();
    let claim: NewClaim = serde_json::from_str(r#"{"worker": "w"}"#).unwrap();
    for _ in 0..2 {
        let claimed = api.claim(&claim).await.unwrap().claims.remove(0);
        let (fencing_token, fault) = (claimed.fencing_token, Fault::http(503));
        let failure = AttemptFailure::new(fencing_token, fault);
        api.fail(claimed.id, failure).await.unwrap();
    }
}

/// O1: a stream has every event once, although the server is replaced.
#[tokio::test]
async fn stream_resumes_when_server_is_replaced() {
    let store = Store::open("sqlite::memory:").await.unwrap();
    let serve = async |address: &str| {
        let server = Server::new(store.clone()).listen(address.parse().unwrap()).without_worker();
        let bound = server.policies(policies()).bind().await.unwrap();
        let address = bound.address().to_string();
        let (stop, stopped) = oneshot::channel::<()>();
        let running = tokio::spawn(bound.run_until(async {
            let _ = stopped.await;
        }));
        (address, stop, running)
    };
    let (address, stop, running) = serve("127.0.0.1:0").await;
    let remote = Remote::new(&format!("http://{address}")).unwrap();
    let mut following = remote.follow(EventFilter::default(), 0);
    two_events(&remote).await;
    let first = following.next().await.unwrap();
    assert_eq!(first.event.event_type.name(), "retry_attempt");
    stop.send(()).unwrap();
    running.await.unwrap().unwrap();
    let (_, _stop, _running) = serve(&address).await;

    let mut numbers = vec![first.number];
    two_events(&remote).await;
    while numbers.len() < 4 {
        // The client may first have to detect that the old connection is closed.
        let next = timeout(Duration::from_secs(60), following.next()).await.unwrap();
        numbers.extend(next.map(|event| event.number).ok());
    }
    assert!(numbers.windows(2).all(|two| two[0] < two[1]), "{numbers:?}");
}

/// O1, D14: a stream that resumes after events were pruned reports the range of numbers.
#[tokio::test]
async fn stream_reports_gap_of_pruned_events() {
    let store = Store::open("sqlite::memory:").await.unwrap();
    let server = Server::new(store.clone()).listen("127.0.0.1:0".parse().unwrap());
    let bound = server.without_worker().policies(policies()).bind().await.unwrap();
    let remote = Remote::new(&format!("http://{}", bound.address())).unwrap();
    let running = tokio::spawn(bound.run_until(std::future::pending()));
    let mut following = remote.follow(EventFilter::default(), 0);
    two_events(&remote).await;
    let last = following.next().await.unwrap().number;
    assert_eq!(following.gap(), None);

    let mut keep_nothing = Retention::forever();
    keep_nothing.records_at_most = Some(0);
    while !store.prune(&keep_nothing).await.unwrap().is_nothing() {}
    two_events(&remote).await;
    let mut following = remote.follow(EventFilter::default(), last);
    let next = following.next().await.unwrap().number;
    let gap = following.gap().unwrap();
    assert_eq!((gap.after, gap.from), (last, Some(next)));
    following.next().await.unwrap();
    assert_eq!(following.gap(), None);
    running.abort();
}

/// K4: a failed connection is an error, not an endless retry.
#[tokio::test]
async fn stream_from_unreachable_server_fails() {
    let both = crate::both().await;
    let mut following = both.remote.follow(EventFilter::default(), -1);
    two_events(&both.remote).await;
    assert!(following.next().await.is_ok());
    let unreachable = Remote::new("http://127.0.0.1:1").unwrap();
    let rejected = unreachable.follow(EventFilter::default(), 0).next().await.unwrap_err();
    assert!(rejected.next.is_some(), "{rejected}");
}

/// K4: a client waits before it reconnects to a server that closes the stream.
#[tokio::test]
async fn stream_waits_before_reconnect() {
    const EMPTY: &[u8] = b"HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\n\
                           content-length: 0\r\nconnection: close\r\n\r\n";
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let remote = Remote::new(&format!("http://{}", listener.local_addr().unwrap())).unwrap();
    let mut following = remote.follow(EventFilter::default(), 0);
    let began = Instant::now();
    let connections = async {
        for _ in 0..3 {
            let (mut connection, _) = listener.accept().await.unwrap();
            assert!(connection.read(&mut [0; 1024]).await.unwrap() > 0);
            connection.write_all(EMPTY).await.unwrap();
        }
    };
    tokio::select! {
        () = connections => {}
        next = following.next() => panic!("no event was sent: {next:?}"),
    }
    assert!(began.elapsed() >= Duration::from_secs(1), "{:?}", began.elapsed());
}
