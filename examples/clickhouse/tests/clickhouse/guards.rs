//! The budget and the breaker during an outage (G1, G3; S3, "Retry Budget Exhaustion" and "Circuit
//! Breaker").

use std::time::Duration;

use example_clickhouse::client::Settings;
use example_clickhouse::faults::fault_proxy::InjectedFault;
use steadfast::guard::{BreakerSettings, BudgetSettings};
use steadfast::{Policy, Reason};
use tokio::time::Instant;

use crate::{Scene, quick};

/// G3, S3: ten retries a second over all clients.
#[tokio::test]
async fn requests_share_a_budget_of_retries() {
    let requests = Policy::immediate()
        .max_attempts(5)
        .budget(BudgetSettings::Rate { retries_per_second: 10.0 });
    let scene = Scene::with(Settings { requests, ..quick() }).await;
    scene.always(InjectedFault::Answer(500, None));
    let began = Instant::now();
    let mut refused = 0;
    for _ in 0..20 {
        let end = scene.client.query("SELECT 1").await.unwrap_err();
        refused += u32::from(end.reason() == Reason::BudgetExhausted);
    }
    let refilled = began.elapsed().as_secs_f64() * 10.0;
    let retries = scene.proxy.requests() - 20;
    assert!((10..=11 + refilled as u64).contains(&retries), "{retries} in {refilled} tenths");
    assert!(refused > 0);
}

/// G1, G2: a server that keeps failing gets no requests for a while, and no batch is lost.
#[tokio::test]
async fn open_breaker_rejects_requests_until_its_timeout() {
    let requests = Policy::immediate()
        .max_attempts(10)
        .breaker(BreakerSettings::consecutive(3, Duration::from_secs(5)));
    let scene = Scene::with(Settings { requests, ..quick() }).await;
    scene.always(InjectedFault::Answer(503, None));
    let end = scene.client.query("SELECT 1").await.unwrap_err();
    assert_eq!((end.reason(), end.attempts()), (Reason::BreakerOpen, 3));

    let batch = scene.batch();
    let end = scene.client.insert(&batch).await.unwrap_err();
    assert_eq!((end.reason(), end.attempts()), (Reason::BreakerOpen, 0), "it is one server");
    assert_eq!(scene.proxy.requests(), 3);

    scene.script([]);
    let until = end.gave_up().retry_after().unwrap();
    // The breaker's timeout passes in real time.
    tokio::time::sleep(until).await;
    assert!(scene.client.settle(&batch).await.unwrap());
    assert_eq!(scene.rows().await, crate::ROWS);
}
