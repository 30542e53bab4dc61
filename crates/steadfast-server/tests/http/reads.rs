//! Reading tasks, queues, statistics and the audit log (H1, D15, K3).

use serde_json::{Value, json};
use steadfast_server::Server;
use steadfast_store::Store;
use steadfast_testing::postgres::{Cluster, Settings};

use crate::{Method, world, world_on};

/// H1: paging returns every task exactly once.
#[tokio::test]
async fn task_list_is_paged_by_cursor() {
    let world = world().await;
    let tasks: Vec<Value> = (0..5).map(|n| json!({"kind": "a", "payload": n})).collect();
    world.post_json("/tasks/batch", tasks.into()).await.good();
    let (mut seen, mut after) = (Vec::new(), String::new());
    loop {
        let page = world.get(&format!("/tasks?limit=2{after}")).await.good();
        let items = page["items"].as_array().unwrap();
        assert!(items.len() <= 2 && items.iter().all(|task| task.get("faults").is_none()));
        seen.extend(items.iter().map(|task| task["payload"].as_i64().unwrap()));
        match page["next"].as_str() {
            Some(next) => after = format!("&after={next}"),
            None => break,
        }
    }
    seen.sort_unstable();
    assert_eq!(seen, [0, 1, 2, 3, 4]);
}

/// D15: the four queries of S2 are one call each.
#[tokio::test]
async fn task_list_is_filtered() {
    let world = world().await;
    world.submit(json!({"kind": "a", "payload": 1, "queue": "mail"})).await;
    let later = world.submit(json!({"kind": "b", "payload": 2, "run_at": "2h"})).await;
    let due = world.get("/tasks?due_within=24h").await.good();
    assert_eq!(due["items"].as_array().unwrap().len(), 1);
    assert_eq!(due["items"][0]["id"], later);
    let mail = world.get("/tasks?status=pending&queue=mail").await.good();
    assert_eq!(mail["items"].as_array().unwrap().len(), 1);
    let none = world.get("/tasks?status=failed").await.good();
    assert_eq!(none, json!({"items": [], "next": null}));
}

/// D15: statistics and queues.
#[tokio::test]
async fn stats_count_tasks_by_status_and_queue() {
    let world = world().await;
    world.submit(json!({"kind": "a", "payload": 1, "queue": "mail"})).await;
    world.submit(json!({"kind": "b", "payload": 2, "run_at": "2h"})).await;
    let stats = world.get("/stats").await.good();
    assert_eq!((&stats["pending"], &stats["due_in_24_hours"]), (&json!(1), &json!(1)));
    let queues = world.get("/queues").await.good();
    let names: Vec<_> = queues.as_array().unwrap().iter().map(|queue| &queue["name"]).collect();
    assert_eq!(names, ["default", "mail"]);
}

/// D15, O3: the backlog age counts from when a task was due, except in paused queues.
#[tokio::test]
async fn stats_report_oldest_due_task() {
    let world = world().await;
    let later = world.submit(json!({"kind": "a", "payload": 1, "run_at": "2h"})).await;
    assert_eq!(world.get("/stats").await.good()["due_since"], Value::Null);
    world.post(&format!("/tasks/{later}/run-now")).await.good();
    let due = world.get(&format!("/tasks/{later}")).await.good()["scheduled_at"].clone();
    assert_eq!(world.get("/stats").await.good()["due_since"], due);
    world.post("/queues/default/pause").await;
    assert_eq!(world.get("/stats").await.good()["due_since"], Value::Null);
}

/// D15, O3: an endpoint reads only what it returns, so that an expensive part does not block the rest.
#[tokio::test]
async fn each_endpoint_reads_only_what_it_returns() {
    let cluster = Cluster::start(Settings::default()).unwrap();
    let store = Store::open(&cluster.create_database("reads").unwrap()).await.unwrap();
    let world = world_on(store, Server::without_worker).await;
    world.submit(json!({"kind": "a", "payload": 1})).await;

    cluster.query("reads", "DROP TABLE steadfast.breakers, steadfast.records").unwrap();
    assert_eq!(world.get("/stats").await.good()["pending"], 1);

    cluster.query("reads", "DROP TABLE steadfast.ended CASCADE").unwrap();
    world.get("/stats").await.problem(500);
    assert_eq!(world.get("/queues").await.good()[0]["pending"], 1);
    let metrics =
        world.request(Method::GET, "/metrics").send().await.unwrap().text().await.unwrap();
    assert!(metrics.contains("\nsteadfast_oldest_due_age_seconds "), "{metrics}");
    assert!(!metrics.contains("\nsteadfast_tasks{"), "{metrics}");
}

/// K3: the audit log has actor, action, time and address.
#[tokio::test]
async fn control_actions_are_audited() {
    let world = world().await;
    assert_eq!(world.post("/queues/mail/pause?new=true").await.status, 204);
    let id = world.submit(json!({"kind": "a", "payload": 1})).await;
    world.post(&format!("/tasks/{id}/cancel")).await.good();
    let log = world.get("/audit?limit=1").await.good();
    let newest = &log["items"][0];
    assert_eq!((&newest["action"], &newest["target"]), (&json!("task.cancel"), &json!(id)));
    assert_eq!(newest["actor"], json!({"name": "anonymous", "origin": "127.0.0.1"}));
    assert!(newest["at"].is_string() && log["next"].is_string());
    let paused = world.get("/audit?target=mail").await.good();
    assert_eq!(paused["items"][0]["action"], "queue.pause");
}

/// H1: a task is found by its key, whatever characters it has.
#[tokio::test]
async fn task_is_found_by_idempotency_key() {
    let world = world().await;
    let key = "invoices/2026 & more";
    let id = world.submit(json!({"kind": "a", "payload": 1, "idempotency_key": key})).await;
    let found = world.get("/tasks/by-key?key=invoices%2F2026%20%26%20more").await.good();
    assert_eq!(found["id"], id);
    let rejected = world.get("/tasks/by-key?key=other").await.problem(404);
    assert_eq!(rejected["field"], "idempotency_key");
}

/// D18: a preview shows the attempts before a task is submitted.
#[tokio::test]
async fn task_preview_shows_policy_and_attempts() {
    let world = world().await;
    let new = json!({"kind": "a", "payload": 1, "policy": "calls"});
    let preview = world.post_json("/tasks/preview", new).await.good();
    assert_eq!(preview["policy"]["id"], "calls");
    assert_eq!(preview["next"].as_array().unwrap().len(), 7);
    assert_eq!(world.get("/tasks").await.good()["items"], json!([]));
}

/// K4: a page of large payloads ends early, and no task is missed.
#[tokio::test]
async fn page_of_large_payloads_is_limited_by_size() {
    let world = world().await;
    let long = "x".repeat(1 << 19);
    for _ in 0..20 {
        world.submit(json!({"kind": "a", "payload": long})).await;
    }
    let (mut seen, mut pages, mut after) = (0, 0, String::new());
    loop {
        let page = world.get(&format!("/tasks?limit=1000{after}")).await.good();
        let items = page["items"].as_array().unwrap();
        assert!(items.iter().all(|task| task["payload"] == *long));
        (seen, pages) = (seen + items.len(), pages + 1);
        match page["next"].as_str() {
            Some(next) => after = format!("&after={next}"),
            None => break,
        }
    }
    assert_eq!((seen, pages), (20, 2));
}
