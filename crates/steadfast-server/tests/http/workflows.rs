//! Workflows over HTTP (section 8), on both stores: saved, started, claimed and controlled.

use reqwest::Method;
use serde_json::{Value, json};
use steadfast_server::Server;
use steadfast_store::Store;
use steadfast_testing::poll::eventually_some;

use crate::stores::cases;
use crate::{World, world_on};

cases! {
    execution_advances_with_http_completions,
    failed_execution_is_resumed_and_retried,
    execution_with_same_key_is_started_once,
    invalid_workflow_is_rejected_with_all_problems,
    trigger_secrets_are_redacted,
    workflow_secrets_are_redacted,
}

fn workflow() -> Value {
    json!({
        "name": "sign-up",
        "nodes": [
            {"nodeId": "create", "type": "create", "config": {"user": {"$from": "/trigger/user"}}},
            {"nodeId": "mail", "type": "mail", "dependsOn": ["create"],
             "config": {"to": {"$from": "/nodes/create/mail"}}},
        ]
    })
}

impl World {
    async fn started(&self, body: Value) -> String {
        let saved = self.post_json("/workflows", workflow()).await.good();
        let path = format!("/workflows/{}/executions", saved["id"]);
        let started = self.post_json(&path, body).await.good();
        started["id"].as_str().unwrap().to_owned()
    }

    /// Claims the next task that becomes due.
    pub(crate) async fn next_claim(&self) -> Value {
        eventually_some("a task is claimed", async || {
            let claimed = self.post_json("/claims", json!({"worker": "w1"})).await.good();
            claimed["claims"].get(0).cloned()
        })
        .await
    }

    async fn complete(&self, claim: &Value, result: Value) {
        let path = format!("/claims/{}/complete", claim["id"].as_str().unwrap());
        let done = json!({"version": claim["version"], "result": result});
        assert!(self.post_json(&path, done).await.status.is_success());
    }

    async fn fail(&self, claim: &Value) {
        let path = format!("/claims/{}/fail", claim["id"].as_str().unwrap());
        let fault = json!({"version": claim["version"], "fault": {"http_status": 503}});
        self.post_json(&path, fault).await.good();
    }

    async fn execution_until(&self, id: &str, status: &str) -> Value {
        eventually_some("the execution has the status", async || {
            let execution = self.get(&format!("/executions/{id}")).await.good();
            (execution["status"] == status).then_some(execution)
        })
        .await
    }
}

/// W1, D19: workers in any language process nodes, and the server advances the execution.
async fn execution_advances_with_http_completions(store: Store) {
    let world = world_on(store, Server::without_worker).await;
    let id = world.started(json!({"trigger": {"user": "ada"}})).await;
    let create = world.next_claim().await;
    assert_eq!(create["task"]["payload"], json!({"user": "ada"}));
    assert_eq!(create["task"]["idempotency_key"], format!("{id}/create"));
    world.complete(&create, json!({"mail": "ada@example.com"})).await;
    let mail = world.next_claim().await;
    assert_eq!(mail["task"]["payload"], json!({"to": "ada@example.com"}));
    world.complete(&mail, Value::Null).await;
    let execution = world.execution_until(&id, "completed").await;
    let statuses: Vec<_> = execution["nodes"].as_array().unwrap().iter().collect();
    assert!(statuses.iter().all(|node| node["status"] == "completed"), "{execution}");
}

/// W2: a failed execution is shown, resumed and retried.
async fn failed_execution_is_resumed_and_retried(store: Store) {
    let world = world_on(store, Server::without_worker).await;
    let id = world.started(json!({"trigger": {"user": "ada"}})).await;
    world.fail(&world.next_claim().await).await;
    let failed = world.execution_until(&id, "failed").await;
    assert_eq!(failed["failed_node"], "create");
    assert_eq!(world.get("/executions?status=failed").await.good()["items"][0]["id"], id.as_str());
    assert_eq!(world.post(&format!("/executions/{id}/resume")).await.good()["status"], "running");
    world.post(&format!("/executions/{id}/resume")).await.problem(409);
    world.fail(&world.next_claim().await).await;
    world.execution_until(&id, "failed").await;
    let next = world.post(&format!("/executions/{id}/retry")).await.good();
    assert_eq!(next["previous"], id.as_str());
    let chain = world.get(&format!("/executions/{id}/chain")).await.good();
    assert_eq!(chain[1]["id"], next["id"]);
    let path = format!("/executions/{}/cancel", next["id"].as_str().unwrap());
    assert_eq!(world.post(&path).await.good()["status"], "cancelled");
}

/// D9: a key starts one execution.
async fn execution_with_same_key_is_started_once(store: Store) {
    let world = world_on(store, Server::without_worker).await;
    let body = json!({"trigger": {"user": "ada"}, "key": "k"});
    let first = world.started(body.clone()).await;
    assert_eq!(world.started(body).await, first);
    let other = json!({"trigger": {"user": "bob"}, "key": "k"});
    let taken = world.post_json("/workflows/1/executions", other).await.problem(422);
    assert_eq!(taken["type"], "urn:steadfast:key-taken");
    let start = world.request(Method::POST, "/api/v1/workflows/1/executions");
    let start = start.header("Idempotency-Key", "k").json(&json!({"trigger": {"user": "ada"}}));
    assert_eq!(world.send(start).await.good()["id"], first.as_str());
}

/// W1: all problems of a workflow are reported with their position.
async fn invalid_workflow_is_rejected_with_all_problems(store: Store) {
    let world = world_on(store, Server::without_worker).await;
    let cycle = json!({"name": "w", "nodes": [
        {"nodeId": "a", "type": "do", "dependsOn": ["b"]},
        {"nodeId": "b", "type": "do", "dependsOn": ["a"]},
    ]});
    let checked = world.post_json("/workflows/check", cycle.clone()).await.good();
    assert_eq!(checked["ok"], false);
    assert_eq!(checked["problems"][0]["path"], "nodes");
    let rejected = world.post_json("/workflows", cycle).await.problem(400);
    assert!(rejected["detail"].as_str().unwrap().contains("a -> b -> a"), "{rejected}");
    let twice = r#"{"name": "w", "nodes": [], "nodes": [{"nodeId": "a", "type": "do"}]}"#;
    let rejected = world.post_text("/workflows", twice).await.problem(400);
    assert!(rejected["detail"].as_str().unwrap().contains("duplicate field `nodes`"), "{rejected}");
    for (path, status) in [
        ("/workflows/7", 404),
        ("/workflows/x", 400),
        ("/executions/x", 400),
        ("/executions/0192f3a4-0000-7000-8000-000000000000", 404),
        ("/executions?status=faild", 400),
    ] {
        world.get(path).await.problem(status);
    }
    let lacking = world.post_json("/workflows", workflow()).await.good();
    let path = format!("/workflows/{}/executions", lacking["id"]);
    let rejected = world.post_json(&path, json!({"trigger": {}})).await.problem(400);
    assert_eq!(rejected["field"], "trigger");
}

/// O5: secrets are redacted.
async fn trigger_secrets_are_redacted(store: Store) {
    let world = world_on(store, Server::without_worker).await;
    let trigger = json!({"user": "ada", "password": "hunter2"});
    let id = world.started(json!({ "trigger": trigger })).await;
    let shown = world.get(&format!("/executions/{id}")).await.good().to_string();
    assert!(!shown.contains("hunter2"), "{shown}");
}

/// O5: secrets in node definitions are redacted.
async fn workflow_secrets_are_redacted(store: Store) {
    let world = world_on(store, Server::without_worker).await;
    let config = json!({"url": "http://a.example", "headers": {"Authorization": "Bearer hunter2"}});
    let node = json!({"nodeId": "a", "type": "http", "config": config});
    let saved = world.post_json("/workflows", json!({"name": "w", "nodes": [node]})).await.good();
    let one = world.get(&format!("/workflows/{}", saved["id"])).await.good();
    let all = world.get("/workflows").await.good();
    for shown in [saved, one, all] {
        let shown = shown.to_string();
        assert!(shown.contains("a.example") && !shown.contains("hunter2"), "{shown}");
    }
}
