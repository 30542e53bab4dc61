//! Workers over HTTP (D19, D4).

use std::sync::Arc;

use reqwest::Method;
use serde_json::json;
use steadfast_server::Server;
use steadfast_store::Store;
use steadfast_testing::poll::{eventually, eventually_some};
use steadfast_testing::postgres::{Cluster, Settings};

use crate::{world, world_on};

/// H1: a task is claimed, kept alive and completed.
#[tokio::test]
async fn task_is_claimed_extended_and_completed() {
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

/// H1: the task's policy decides on a failure, and the worker gets the decision.
#[tokio::test]
async fn failed_attempt_returns_policy_decision() {
    let world = world().await;
    let id = world.submit(json!({"kind": "a", "payload": 1, "policy": "calls"})).await;
    let (_, version) = world.claim().await;
    let fault = json!({"http_status": 503, "message": "busy"});
    let failure = json!({"version": version, "fault": fault});
    let follows = world.post_json(&format!("/claims/{id}/fail"), failure).await.good();
    assert_eq!(follows, json!({"status": "scheduled", "next_delay": 3600.0, "reason": null}));
    let task = world.get(&format!("/tasks/{id}")).await.good();
    let fault = &task["faults"][0];
    assert_eq!((&fault["attempt"], &fault["class"]), (&json!(1), &json!("retryable")));
    assert_eq!(
        (&fault["message"], &fault["next_delay"]),
        (&json!("HTTP 503, busy"), &json!(3600.0))
    );
    assert!(fault["why"].is_object() && fault["at"].is_string());
}

/// D4, H1: a request with a stale fencing token is rejected and changes nothing.
#[tokio::test]
async fn settle_with_stale_fencing_token_is_rejected() {
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

/// D10: a worker learns of a cancellation from its next heartbeat.
#[tokio::test]
async fn heartbeat_of_cancelled_task_is_rejected() {
    let world = world().await;
    let id = world.submit(json!({"kind": "a", "payload": 1})).await;
    let (_, version) = world.claim().await;
    world.post(&format!("/tasks/{id}/cancel")).await.good();
    let beat = json!({"version": version});
    world.post_json(&format!("/claims/{id}/heartbeat"), beat).await.problem(409);
}

/// D4: a worker that disconnects before the response holds no tasks, and none counts as lost.
#[tokio::test(flavor = "multi_thread")]
async fn claim_of_disconnected_worker_holds_no_tasks() {
    let cluster = Arc::new(Cluster::start(Settings::default()).unwrap());
    let sql = |statement: &str| cluster.query("gone", statement).unwrap().trim().to_owned();
    let store = Store::open(&cluster.create_database("gone").unwrap()).await.unwrap();
    let world = world_on(store, Server::without_worker).await;
    let id = world.submit(json!({"kind": "a", "payload": 1})).await;
    let other = cluster.clone();
    let in_the_way = std::thread::spawn(move || {
        other.query("gone", "BEGIN; LOCK TABLE steadfast.ready; SELECT pg_sleep(600)")
    });
    let sleepers = "SELECT count(*) FROM pg_stat_activity WHERE wait_event = 'PgSleep'";
    eventually("the table is locked", async || sql(sleepers) != "0").await;

    let claim = world.request(Method::POST, "/api/v1/claims").json(&json!({"worker": "w1"}));
    let asking = tokio::spawn(claim.send());
    let waits = "SELECT count(*) FROM pg_stat_activity
                  WHERE wait_event_type = 'Lock' AND query LIKE '-- Claims the first pending tasks%'";
    eventually("the claim waits", async || sql(waits) != "0").await;
    asking.abort();
    assert!(asking.await.unwrap_err().is_cancelled());
    sql("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE wait_event = 'PgSleep'");
    assert!(in_the_way.join().unwrap().is_err());

    let granted = "SELECT is_called FROM steadfast.lease_version";
    eventually("the claim is granted", async || sql(granted) != "f").await;
    let task = eventually_some("the task is released", async || {
        let task = world.get(&format!("/tasks/{id}")).await.good();
        (task["status"] != "running").then_some(task)
    })
    .await;
    assert_eq!((&task["status"], &task["attempts"]), (&json!("pending"), &json!(0)));
}

/// G4: a failure that the store did not accept is counted once when it is sent again.
#[tokio::test(flavor = "multi_thread")]
async fn unstored_failure_is_counted_once_when_repeated() {
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
    sql("ALTER TABLE steadfast.faults ADD CONSTRAINT rejected CHECK (false) NOT VALID");
    fail().await.problem(500);
    sql("ALTER TABLE steadfast.faults DROP CONSTRAINT rejected");
    assert_eq!(fail().await.good()["status"], "pending");
    assert_eq!(world.claim().await.0, id, "one failure opens no breaker of two");
}

/// G3: a repeated failure draws on the budget once.
#[tokio::test(flavor = "multi_thread")]
async fn repeated_failure_draws_on_budget_once() {
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
    sql("ALTER TABLE steadfast.faults ADD CONSTRAINT rejected CHECK (false) NOT VALID");
    fail(version).await.problem(500);
    sql("ALTER TABLE steadfast.faults DROP CONSTRAINT rejected");
    assert_eq!(fail(version).await.good()["status"], "pending", "the only retry there is");
    let (_, version) = world.claim().await;
    assert_eq!(fail(version).await.good()["reason"], "budget_exhausted");
}

/// D4, K4: tasks that do not fit into the response are left for the next claim.
#[tokio::test]
async fn claim_is_limited_by_response_size() {
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

/// H1: a number with a zero fraction is an integer.
#[tokio::test]
async fn integer_with_zero_fraction_is_accepted() {
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

/// G1, D19: without an embedded worker, breaker commands apply and hold back workers over HTTP.
#[tokio::test]
async fn isolated_breaker_blocks_http_workers() {
    let world = world().await;
    let name = "isolated-by-hand";
    let policy = json!({"id": name, "enable_circuit_breaker": true});
    let task = json!({"kind": "a", "payload": 1, "policy": policy});
    let id = world.submit(task.clone()).await;
    let (_, version) = world.claim().await;
    let done = json!({"version": version});
    assert_eq!(world.post_json(&format!("/claims/{id}/complete"), done).await.status, 204);

    let wait_for_state = async |state: &str| {
        eventually("the breaker has the state", async || {
            let breakers = world.get("/breakers").await.good();
            let mine = breakers.as_array().unwrap().iter().find(|it| it["policy"] == name);
            mine.is_some_and(|mine| mine["instances"][0]["state"] == state)
        })
        .await;
    };
    wait_for_state("closed").await;
    assert_eq!(world.post(&format!("/breakers/{name}/isolate")).await.status, 204);
    wait_for_state("isolated").await;
    let id = world.submit(task).await;
    let claims = world.post_json("/claims", json!({"worker": "w1"})).await.good();
    assert_eq!(claims["claims"], json!([]));
    let task = world.get(&format!("/tasks/{id}")).await.good();
    assert_eq!((&task["status"], &task["attempts"]), (&json!("scheduled"), &json!(0)));
}
