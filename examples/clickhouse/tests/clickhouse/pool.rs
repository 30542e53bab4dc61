//! Reuse of connections, unless there was an error (J4; S3, "Connection State After Error").

use std::time::Duration;

use example_clickhouse::client::Settings;
use example_clickhouse::faults::fault_proxy::InjectedFault;
use steadfast::Policy;

use crate::{Scene, once, quick};

/// S3: requests with a response, even a rejection, share a connection.
#[tokio::test]
async fn healthy_connection_is_reused() {
    let scene = Scene::with(once()).await;
    for _ in 0..3 {
        scene.client.query("SELECT 1").await.unwrap();
        scene.client.query("SELEC 1").await.unwrap_err();
        scene.script([InjectedFault::Answer(503, None)]);
        scene.client.query("SELECT 1").await.unwrap_err();
    }
    assert_eq!((scene.proxy.requests(), scene.proxy.connections()), (9, 1));
    assert_eq!(scene.client.pool().discarded(), 0);
}

/// J4: a broken connection is discarded.
#[tokio::test]
async fn broken_connection_is_discarded() {
    for fault in [InjectedFault::DropBefore, InjectedFault::DropAfter, InjectedFault::CutAnswer] {
        let scene = Scene::with(quick()).await;
        scene.client.query("SELECT 1").await.unwrap();
        scene.script([fault]);
        scene.client.query("SELECT 1").await.unwrap();
        scene.client.query("SELECT 1").await.unwrap();
        assert_eq!(scene.proxy.connections(), 2, "{fault:?}");
        assert_eq!(scene.client.pool().discarded(), 1, "{fault:?}");
    }
}

/// J4: a connection with an outstanding response is discarded, or the next request would read it.
#[tokio::test]
async fn connection_with_a_pending_response_is_discarded() {
    let requests = Policy::immediate().max_attempts(1).attempt_timeout(Duration::from_millis(300));
    let scene = Scene::with(Settings { requests, connections: 1, ..quick() }).await;
    scene.script([InjectedFault::SlowAnswer(Duration::from_millis(600))]);
    scene.client.query("SELECT 'late'").await.unwrap_err();
    let answer = loop {
        if let Ok(answer) = scene.client.query("SELECT 'prompt'").await {
            break answer;
        }
    };
    assert_eq!(answer.trim(), "prompt");
    assert!(scene.proxy.connections() >= 2);
}
