//! Events, followed (O1).

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

/// Fails a task of the policy `twice` for good, which is two events.
async fn two_events(api: &dyn Api) {
    let json = r#"{"kind": "k", "payload": 1, "policy": "twice"}"#;
    api.submit(NewTask::from_json(json).unwrap()).await.unwrap();
    let wanted: NewClaim = serde_json::from_str(r#"{"worker": "w"}"#).unwrap();
    for _ in 0..2 {
        let claimed = api.claim(&wanted).await.unwrap().claims.remove(0);
        let (version, fault) = (claimed.version, Fault::http(503));
        let failure = AttemptFailure { version, fault, key_in_use: false };
        api.fail(claimed.id, failure).await.unwrap();
    }
}

/// O1: whoever follows misses nothing and gets nothing twice, though the server is replaced
/// meanwhile.
#[tokio::test]
async fn following_goes_on_where_it_was_when_the_server_is_replaced() {
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
        // The one connection that was there may have to be found out to be gone.
        let next = timeout(Duration::from_secs(60), following.next()).await.unwrap();
        numbers.extend(next.map(|event| event.number).ok());
    }
    assert!(numbers.windows(2).all(|two| two[0] < two[1]), "{numbers:?}");
}

/// O1, D14: whoever was away for longer than events are kept is told between which numbers that is.
#[tokio::test]
async fn a_follower_is_told_that_events_are_forgotten() {
    let store = Store::open("sqlite::memory:").await.unwrap();
    let server = Server::new(store.clone()).listen("127.0.0.1:0".parse().unwrap());
    let bound = server.without_worker().policies(policies()).bind().await.unwrap();
    let remote = Remote::new(&format!("http://{}", bound.address())).unwrap();
    let running = tokio::spawn(bound.run_until(std::future::pending()));
    let mut following = remote.follow(EventFilter::default(), 0);
    two_events(&remote).await;
    let known = following.next().await.unwrap().number;
    assert_eq!(following.gap(), None);

    let mut nothing_kept = Retention::forever();
    nothing_kept.records_at_most = Some(0);
    while !store.prune(&nothing_kept).await.unwrap().is_nothing() {}
    two_events(&remote).await;
    let mut following = remote.follow(EventFilter::default(), known);
    let next = following.next().await.unwrap().number;
    let gap = following.gap().unwrap();
    assert_eq!((gap.after, gap.from), (known, Some(next)));
    following.next().await.unwrap();
    assert_eq!(following.gap(), None);
    running.abort();
}

/// K4: what is refused is told, and not asked for ever.
#[tokio::test]
async fn a_follower_that_is_refused_is_told() {
    let both = crate::both().await;
    let mut following = both.remote.follow(EventFilter::default(), -1);
    two_events(&both.remote).await;
    assert!(following.next().await.is_ok());
    let elsewhere = Remote::new("http://127.0.0.1:1").unwrap();
    let refused = elsewhere.follow(EventFilter::default(), 0).next().await.unwrap_err();
    assert!(refused.next.is_some(), "{refused}");
}

/// K4: whoever is let go as soon as it comes does not come back without a pause.
#[tokio::test]
async fn a_follower_that_is_let_go_does_not_hurry_back() {
    const EMPTY: &[u8] = b"HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\n\
                           content-length: 0\r\nconnection: close\r\n\r\n";
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let remote = Remote::new(&format!("http://{}", listener.local_addr().unwrap())).unwrap();
    let mut following = remote.follow(EventFilter::default(), 0);
    let began = Instant::now();
    let comes = async {
        for _ in 0..3 {
            let (mut connection, _) = listener.accept().await.unwrap();
            assert!(connection.read(&mut [0; 1024]).await.unwrap() > 0);
            connection.write_all(EMPTY).await.unwrap();
        }
    };
    tokio::select! {
        () = comes => {}
        next = following.next() => panic!("nothing happened: {next:?}"),
    }
    assert!(began.elapsed() >= Duration::from_secs(1), "{:?}", began.elapsed());
}
