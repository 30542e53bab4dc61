//! Rows that survive a killed server without their log entry (I12; S3, "Gotchas" 2).

use example_clickhouse::client::{Client, Settings};
use example_clickhouse::faults::fault_proxy::InjectedFault;
use steadfast::{Effect, Reason};
use steadfast_testing::clickhouse::Server;

use crate::{ROWS, Scene, quick};

/// I12: the rows are stored, the log has no entry, and the lookup does not report them as missing.
#[tokio::test]
async fn batch_lost_by_a_killed_server_is_not_resent() {
    let mut server = Server::start().unwrap();
    let scene = Scene::before(server.address(), quick(), "").await;
    write_log(&scene.observer).await;
    scene.script([InjectedFault::DropAfter].into_iter().chain([InjectedFault::DropBefore; 16]));
    let batch = scene.batch();
    let end = scene.client.insert(&batch).await.unwrap_err();
    assert_eq!(end.reason(), Reason::NotSafeToRetry, "the server is down");

    server.kill().unwrap();
    server.restart().unwrap();
    let observer = Client::new(server.address(), Settings::default()).unwrap();
    assert!(lines(&observer, "").await > 0, "the log is older than the batch");
    let of_batch = format!("WHERE query_id = '{}'", batch.id());
    assert_eq!(lines(&observer, &of_batch).await, 0, "the entry of the batch is lost");
    assert_eq!(scene.client.took_effect(&batch).await, Effect::Unknown);
    assert!(!scene.client.settle(&batch).await.unwrap());
    assert_eq!(scene.rows().await, ROWS);
}

/// Writes log entries that survive a crash.
async fn write_log(observer: &Client) {
    while lines(observer, "").await == 0 {
        observer.query("SYSTEM FLUSH LOGS").await.unwrap();
    }
}

/// The number of log entries. The table does not exist before the first one.
async fn lines(observer: &Client, which: &str) -> u64 {
    let there =
        "SELECT count() FROM system.tables WHERE database = 'system' AND name = 'query_log'";
    if observer.query(there).await.unwrap().trim() == "0" {
        return 0;
    }
    let count = format!("SELECT count() FROM system.query_log {which}");
    observer.query(&count).await.unwrap().trim().parse().unwrap()
}
