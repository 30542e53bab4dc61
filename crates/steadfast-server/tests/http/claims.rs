//! Workers over HTTP (D19, D4).

use std::sync::Arc;
use std::time::Duration;

use reqwest::Method;
use serde_json::json;
use steadfast_server::Server;
use steadfast_store::Store;
use steadfast_testing::postgres::{Cluster, Settings};

use crate::{world, world_on};

/// H1: a claim as it is written there, and the end of its task.
#[tokio::test]
async fn a_task_is_claimed_kept_and_completed() {
    let world = world().await;
    let id = world.submit(json!({"kind": "add", "payload": [1, 2]})).await;
    let wanted = json!({"queues": ["default"], "categories": null, "limit": 10, "lease": "30s", "worker": "w1"});
    let claims = world.post_json("/claims", wanted).await.good();
    let claim = &claims["claims"][0];
    assert_eq!((&claim["id"], &claim["task"]["kind"]), (&json!(id), &json!("add")));
    assert_eq!((&claim["task"]["payload"], &claim["task"]["attempt"]), (&json!([1, 2]), &json!(1)));
    let version = &claim["version"];

    let beat = json!({"version": version, "lease": "30s"});
    assert_eq!(world.post_json(&format!("/claims/{id}/heartbeat"), beat).await.status, 204);
    let done = json!({"version": version, "result": 3});
    assert_eq!(world.post_json(&format!("/claims/{id}/complete"), done).await.status, 204);
    let task = world.get(&format!("/tasks/{id}")).await.good();
    assert_eq!((&task["status"], &task["result"]), (&json!("completed"), &json!(3)));
}

/// H1: a fault is judged by the task's policy, and the worker is told what follows.
#[tokio::test]
async fn a_failure_is_told_what_follows_from_it() {
    let world = world().await;
    let id = world.submit(json!({"kind": "a", "payload": 1, "policy": "calls"})).await;
    let (_, version) = world.claim().await;
    let fault = json!({"http_status": 503, "message": "busy"});
    let failure = json!({"version": version, "fault": fault});
    let follows = world.post_json(&format!("/claims/{id}/fail"), failure).await.good();
    assert_eq!(follows, json!({"status": "scheduled", "next_delay": 3600.0, "reason": null}));
    let task = world.get(&format!("/tasks/{id}")).await.good();
    let kept = &task["faults"][0];
    assert_eq!((&kept["attempt"], &kept["class"]), (&json!(1), &json!("retryable")));
    assert_eq!((&kept["message"], &kept["next_delay"]), (&json!("HTTP 503, busy"), &json!(3600.0)));
    assert!(kept["why"].is_object() && kept["at"].is_string());
}

/// D4, H1: a word under a stale version is refused, and changes nothing.
#[tokio::test]
async fn a_stale_version_is_told_so() {
    let world = world().await;
    let id = world.submit(json!({"kind": "a", "payload": 1})).await;
    let (_, version) = world.claim().await;
    for (verb, body) in [
        ("heartbeat", json!({"version": version - 1})),
        ("complete", json!({"version": version - 1, "result": 1})),
        ("fail", json!({"version": version - 1, "fault": {}})),
    ] {
        let stale = world.post_json(&format!("/claims/{id}/{verb}"), body).await.problem(409);
        assert_eq!(stale["type"], "urn:steadfast:stale-lease", "{verb}");
    }
    assert_eq!(world.get(&format!("/tasks/{id}")).await.good()["status"], "running");
}

/// D10: a worker whose task was cancelled is told by its next sign of life.
#[tokio::test]
async fn a_worker_learns_that_its_task_was_cancelled() {
    let world = world().await;
    let id = world.submit(json!({"kind": "a", "payload": 1})).await;
    let (_, version) = world.claim().await;
    world.post(&format!("/tasks/{id}/cancel")).await.good();
    let beat = json!({"version": version});
    world.post_json(&format!("/claims/{id}/heartbeat"), beat).await.problem(409);
}

/// D4: a worker that has gone before it heard of its tasks has none of them, and none counts as
/// lost.
#[tokio::test(flavor = "multi_thread")]
async fn a_claim_that_nobody_waits_for_holds_nothing() {
    let cluster = Arc::new(Cluster::start(Settings::default()).unwrap());
    let sql = |statement: &str| cluster.query("gone", statement).unwrap().trim().to_owned();
    let store = Store::open(&cluster.create_database("gone").unwrap()).await.unwrap();
    let world = world_on(store, Server::without_worker).await;
    let id = world.submit(json!({"kind": "a", "payload": 1})).await;
    let other = cluster.clone();
    let in_the_way = std::thread::spawn(move || {
        other.query("gone", "BEGIN; LOCK TABLE steadfast.ready; SELECT pg_sleep(600)")
    });
    while sql("SELECT count(*) FROM pg_stat_activity WHERE wait_event = 'PgSleep'") == "0" {}

    let claim = world.request(Method::POST, "/api/v1/claims").json(&json!({"worker": "w1"}));
    let asking = tokio::spawn(claim.send());
    let waits = "SELECT count(*) FROM pg_stat_activity
                  WHERE wait_event_type = 'Lock' AND query LIKE '-- Takes the first of all lines%'";
    while sql(waits) == "0" {}
    asking.abort();
    assert!(asking.await.unwrap_err().is_cancelled());
    sql("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE wait_event = 'PgSleep'");
    assert!(in_the_way.join().unwrap().is_err());

    while sql("SELECT is_called FROM steadfast.lease_version") == "f" {}
    let task = loop {
        let task = world.get(&format!("/tasks/{id}")).await.good();
        if task["status"] != "running" {
            break task;
        }
    };
    assert_eq!((&task["status"], &task["attempts"]), (&json!("pending"), &json!(0)));
}

/// G4: a failure that the store did not take is none yet, and counts once when it is said again.
#[tokio::test(flavor = "multi_thread")]
async fn a_failure_counts_when_the_store_has_taken_it() {
    let cluster = Cluster::start(Settings::default()).unwrap();
    let sql = |statement: &str| cluster.query("once", statement).unwrap();
    let store = Store::open(&cluster.create_database("once").unwrap()).await.unwrap();
    let world = world_on(store, Server::without_worker).await;
    let policy = json!({
        "id": "counted-once", "backoff_type": "immediate", "max_attempts": 5,
        "enable_circuit_breaker": true, "circuit_breaker_threshold": 2,
    });
    let id = world.submit(json!({"kind": "a", "payload": 1, "policy": policy})).await;
    let (_, version) = world.claim().await;
    let fail = async || {
        let failure = json!({"version": version, "fault": {"http_status": 503}});
        world.post_json(&format!("/claims/{id}/fail"), failure).await
    };
    sql("ALTER TABLE steadfast.faults ADD CONSTRAINT refused CHECK (false) NOT VALID");
    fail().await.problem(500);
    sql("ALTER TABLE steadfast.faults DROP CONSTRAINT refused");
    assert_eq!(fail().await.good()["status"], "pending");
    assert_eq!(world.claim().await.0, id, "one failure opens no breaker of two");
}

/// G3: nor does it draw on the budget twice.
#[tokio::test(flavor = "multi_thread")]
async fn a_failure_that_is_said_again_draws_on_the_budget_once() {
    let cluster = Cluster::start(Settings::default()).unwrap();
    let sql = |statement: &str| cluster.query("drawn", statement).unwrap();
    let store = Store::open(&cluster.create_database("drawn").unwrap()).await.unwrap();
    let world = world_on(store, Server::without_worker).await;
    let policy = json!({
        "id": "drawn-once", "backoff_type": "immediate", "max_attempts": 5,
        "budget": {"ratio": 0.5, "min_per_second": 0, "window": "10m"},
    });
    let submit = async || world.submit(json!({"kind": "a", "payload": 1, "policy": policy})).await;
    for _ in 0..2 {
        submit().await;
        let (id, version) = world.claim().await;
        let done = json!({"version": version});
        assert_eq!(world.post_json(&format!("/claims/{id}/complete"), done).await.status, 204);
    }
    submit().await;
    let (id, version) = world.claim().await;
    let fail = async |version: i64| {
        let failure = json!({"version": version, "fault": {"http_status": 503}});
        world.post_json(&format!("/claims/{id}/fail"), failure).await
    };
    sql("ALTER TABLE steadfast.faults ADD CONSTRAINT refused CHECK (false) NOT VALID");
    fail(version).await.problem(500);
    sql("ALTER TABLE steadfast.faults DROP CONSTRAINT refused");
    assert_eq!(fail(version).await.good()["status"], "pending", "the only retry there is");
    let (_, version) = world.claim().await;
    assert_eq!(fail(version).await.good()["reason"], "budget_exhausted");
}

/// D4, K4: what there is no room for in the answer is left for the next who asks.
#[tokio::test]
async fn a_claim_takes_no_more_than_its_answer_carries() {
    let world = world().await;
    for _ in 0..20 {
        world.submit(json!({"kind": "a", "payload": "x".repeat(1 << 19)})).await;
    }
    let claim = async || {
        let claims = world.post_json("/claims", json!({"worker": "w", "limit": 1000})).await.good();
        claims["claims"].as_array().unwrap().len()
    };
    assert_eq!(claim().await, 16);
    let stats = world.get("/stats").await.good();
    assert_eq!((&stats["running"], &stats["pending"]), (&json!(16), &json!(4)));
    assert_eq!(claim().await, 4);
}

/// H1: a number without a fraction is an integer, however it is spelled.
#[tokio::test]
async fn a_whole_number_may_have_a_fraction_of_nothing() {
    let world = world().await;
    let new = r#"{"kind": "a", "payload": 1, "priority": 2.0}"#;
    let id = world.post_text("/tasks", new).await.good()["id"].as_str().unwrap().to_owned();
    let claims = world.post_text("/claims", r#"{"worker": "w", "limit": 10.0}"#).await.good();
    let version = claims["claims"][0]["version"].as_i64().unwrap();
    let failure = format!(r#"{{"version": {version}.0, "fault": {{"http_status": 503.0}}}}"#);
    world.post_text(&format!("/claims/{id}/fail"), failure).await.good();
    let half = world.post_text("/claims", r#"{"worker": "w", "limit": 1.5}"#).await;
    assert_eq!((half.status.as_u16(), &half.body["field"]), (400, &json!("limit")));
}

/// G1, D19: what a person wants of a breaker is done where no worker runs beside the server, and
/// holds workers over HTTP back.
#[tokio::test]
async fn an_isolated_breaker_holds_workers_over_http_back() {
    let world = world().await;
    let name = "isolated-by-hand";
    let policy = json!({"id": name, "enable_circuit_breaker": true});
    let task = json!({"kind": "a", "payload": 1, "policy": policy});
    let id = world.submit(task.clone()).await;
    let (_, version) = world.claim().await;
    let done = json!({"version": version});
    assert_eq!(world.post_json(&format!("/claims/{id}/complete"), done).await.status, 204);

    let stands = async |state: &str| loop {
        let breakers = world.get("/breakers").await.good();
        let mine = breakers.as_array().unwrap().iter().find(|it| it["policy"] == name);
        if mine.is_some_and(|mine| mine["instances"][0]["state"] == state) {
            break;
        }
        tokio::time::sleep(Duration::from_millis(20)).await;
    };
    stands("closed").await;
    assert_eq!(world.post(&format!("/breakers/{name}/isolate")).await.status, 204);
    stands("isolated").await;
    let id = world.submit(task).await;
    let claims = world.post_json("/claims", json!({"worker": "w1"})).await.good();
    assert_eq!(claims["claims"], json!([]));
    let task = world.get(&format!("/tasks/{id}")).await.good();
    assert_eq!((&task["status"], &task["attempts"]), (&json!("scheduled"), &json!(0)));
}
