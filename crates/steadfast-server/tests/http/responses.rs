//! Responses of every operation match the OpenAPI description (H1).

use std::cell::RefCell;
use std::collections::BTreeSet;
use std::time::Duration;

use reqwest::Method;
use serde_json::{Value, json};
use steadfast::guard::BudgetSettings;
use steadfast_store::BudgetReport;

use crate::openapi::{description, operations};
use crate::{World, sessions, world};

/// Asks, and holds what is answered against what is described. Remembers which operations answered
/// that all is well.
struct Checked {
    world: World,
    described: Value,
    well: RefCell<BTreeSet<(String, String)>>,
}

impl Checked {
    async fn of(world: World) -> Self {
        let described = description(&world).await;
        Self { world, described, well: RefCell::default() }
    }

    async fn get(&self, path: &str, of: &str) -> Value {
        self.ask(Method::GET, path, of, None).await
    }

    async fn post(&self, path: &str, of: &str, body: impl Into<Option<Value>>) -> Value {
        self.ask(Method::POST, path, of, body.into()).await
    }

    /// The path is as it is described, with a query perhaps; `of` replaces the part in braces.
    async fn ask(&self, method: Method, path: &str, of: &str, body: Option<Value>) -> Value {
        let (described, query) = path.split_once('?').unwrap_or((path, ""));
        let parts: Vec<_> = described
            .split('/')
            .map(|part| if part.starts_with('{') { of } else { part })
            .collect();
        let at = format!("{}?{query}", parts.join("/"));
        let request = self.world.request(method.clone(), &at);
        // A stream has no end.
        let request = request.header("accept", "application/json, text/plain");
        let request = match body {
            Some(body) => request.json(&body),
            None => request,
        };
        let response = request.send().await.unwrap();
        let status = response.status();
        let kind = response.headers().get("content-type").map(|it| it.to_str().unwrap().to_owned());
        let text = response.text().await.unwrap();
        let operation = &self.described["paths"][described][method.as_str().to_lowercase()];
        assert!(operation.is_object(), "{method} {described} is not described");
        let answer = self.checked(operation, status.as_u16(), kind.as_deref(), &text);
        if status.is_success() {
            let operation = (method.to_string(), described.to_owned());
            self.well.borrow_mut().insert(operation);
        }
        answer
    }

    /// The response, checked against the description.
    fn checked(&self, operation: &Value, status: u16, kind: Option<&str>, text: &str) -> Value {
        let name = &operation["operationId"];
        let responses = operation["responses"].as_object().unwrap();
        let response = responses.get(&status.to_string()).or_else(|| responses.get("default"));
        assert!(response.is_some(), "{name}: {status} is not described");
        let response = response.unwrap();
        let Some(content) = response["content"].as_object() else {
            assert_eq!((kind, text), (None, ""), "{name}: nothing is described");
            return Value::Null;
        };
        let kind = kind.and_then(|kind| kind.split(';').next()).unwrap_or_default();
        assert!(content.contains_key(kind), "{name}: {kind} is not described");
        if !kind.ends_with("json") {
            return Value::from(text);
        }
        let answer = serde_json::from_str(text).unwrap();
        let mut schema = content[kind]["schema"].clone();
        schema["components"] = self.described["components"].clone();
        let validator = jsonschema::validator_for(&schema).unwrap();
        let problems: Vec<_> = validator.iter_errors(&answer).map(|it| it.to_string()).collect();
        assert!(problems.is_empty(), "{name}: {problems:?} in {answer}");
        answer
    }
}

fn text(value: &Value) -> &str {
    value.as_str().unwrap()
}

/// Tasks from submit to end, and the requests of external workers.
async fn tasks(checked: &Checked) {
    let new = json!({
        "kind": "a", "payload": {"n": 1}, "policy": "calls", "category": "c", "idempotency_key": "k",
    });
    let taken = checked.post("/api/v1/tasks", "", new).await;
    let id = text(&taken["id"]);
    let claims = checked.post("/api/v1/claims", "", json!({"worker": "w"})).await;
    let version = &claims["claims"][0]["version"];
    let alive = json!({"version": version});
    checked.post("/api/v1/claims/{id}/heartbeat", id, alive).await;
    checked.get("/api/v1/tasks/{id}", id).await;
    let fault = json!({"http_status": 503, "message": "busy", "causes": [{"kind": "timeout"}]});
    let failure = json!({"version": version, "fault": fault});
    checked.post("/api/v1/claims/{id}/fail", id, failure).await;
    checked.get("/api/v1/tasks/by-key?key=k", "").await;
    checked.post("/api/v1/tasks/{id}/expiry", id, json!({"expires_at": "9h"})).await;
    checked.post("/api/v1/tasks/{id}/run-now", id, None).await;
    let claims = checked.post("/api/v1/claims", "", json!({"worker": "w"})).await;
    let done = json!({"version": claims["claims"][0]["version"], "result": {"ok": true}});
    checked.post("/api/v1/claims/{id}/complete", id, done).await;
    checked.get("/api/v1/tasks/{id}/session", id).await;
    checked.post("/api/v1/tasks/{id}/requeue", id, None).await;
    checked.post("/api/v1/tasks/{id}/cancel", id, None).await;

    let new = json!({"kind": "b", "payload": null});
    checked.post("/api/v1/tasks/preview", "", new.clone()).await;
    checked.post("/api/v1/tasks/batch", "", json!([new])).await;
    let cancelled = json!({"filter": {"status": "cancelled"}});
    let requeued = checked.post("/api/v1/tasks/requeue", "", cancelled).await;
    assert_eq!(requeued["count"], 1);
    let listed = checked.get("/api/v1/tasks", "").await;
    assert_eq!(listed["items"].as_array().unwrap().len(), 2);
    let rejected = checked.get("/api/v1/tasks?limit=0", "").await;
    assert_eq!(rejected["status"], 400);
}

/// A delay that a float in seconds cannot represent to the nanosecond.
async fn longest_delay(checked: &Checked) {
    let policy = json!({"base_delay": 20_000_000_000_u64});
    let new = json!({"kind": "a", "payload": null, "queue": "patient", "policy": policy});
    checked.post("/api/v1/tasks", "", new).await;
    let claim = json!({"worker": "w", "queues": ["patient"]});
    let claim = &checked.post("/api/v1/claims", "", claim).await["claims"][0];
    let failure = json!({"version": claim["version"], "fault": {"http_status": 503}});
    let follows = checked.post("/api/v1/claims/{id}/fail", text(&claim["id"]), failure).await;
    assert!(follows["next_delay"].is_string(), "{follows}");
}

/// Workflows and their executions.
async fn workflows(checked: &Checked) {
    let workflow = json!({"name": "w", "nodes": [{"nodeId": "a", "type": "do"}]});
    checked.post("/api/v1/workflows/check", "", workflow.clone()).await;
    let saved = checked.post("/api/v1/workflows", "", workflow).await;
    checked.get("/api/v1/workflows", "").await;
    let number = saved["id"].to_string();
    checked.get("/api/v1/workflows/{id}", &number).await;
    let start = json!({"trigger": 1});
    let started = checked.post("/api/v1/workflows/{id}/executions", &number, start).await;
    let id = text(&started["id"]);
    checked.get("/api/v1/executions", "").await;
    checked.get("/api/v1/executions/{id}", id).await;
    for verb in ["cancel", "resume", "cancel", "retry"] {
        checked.post(&format!("/api/v1/executions/{{id}}/{verb}"), id, None).await;
    }
    checked.get("/api/v1/executions/{id}/chain", id).await;
}

/// Operations other than those on tasks.
async fn other_operations(checked: &Checked) {
    for verb in ["pause", "resume"] {
        checked.post(&format!("/api/v1/queues/{{queue}}/{verb}"), "default", None).await;
    }
    for verb in ["close", "isolate", "open"] {
        checked.post(&format!("/api/v1/breakers/{{policy}}/{verb}"), "calls", None).await;
    }
    let judged = json!({"fault": {"sqlstate": "40001"}});
    checked.post("/api/v1/classify", "", judged).await;
    checked.get("/api/v1/policies/{id}/plan", "sql").await;
    for path in ["sessions", "events", "audit"] {
        let page = checked.get(&format!("/api/v1/{path}"), "").await;
        assert_ne!(page["items"], json!([]), "{path}: nothing was checked");
    }
    report_budgets(&checked.world).await;
    for path in ["queues", "breakers", "budgets", "workers"] {
        let all = checked.get(&format!("/api/v1/{path}"), "").await;
        assert_ne!(all, json!([]), "{path}: nothing was checked");
    }
    for path in ["policies", "stats", "time", "metrics/summary"] {
        checked.get(&format!("/api/v1/{path}"), "").await;
    }
    for path in ["/healthz", "/readyz", "/metrics"] {
        checked.get(path, "").await;
    }
}

/// A budget of each kind.
async fn report_budgets(world: &World) {
    let budgets = [
        BudgetSettings::Rate { retries_per_second: 0.5 },
        BudgetSettings::Ratio { ratio: 0.1, min_per_second: 0.0, window: Duration::from_secs(10) },
        BudgetSettings::Tokens { max_tokens: 10, token_ratio: 0.1 },
    ];
    for (settings, policy) in budgets.into_iter().zip(["a", "b", "c"]) {
        let (policy, instance) = (policy.to_owned(), "i".to_owned());
        let report = BudgetReport { policy, instance, seen_at: None, balance: 7, settings };
        world.store.report_budgets(&[report]).await.unwrap();
    }
}

/// H1: every operation is called successfully, and its response matches the description.
#[tokio::test]
async fn every_operation_response_matches_openapi() {
    let checked = Checked::of(world().await).await;
    sessions::record(&checked.world).await;
    tasks(&checked).await;
    longest_delay(&checked).await;
    workflows(&checked).await;
    other_operations(&checked).await;
    let all: BTreeSet<_> = operations(&checked.described).into_iter().collect();
    assert_eq!(*checked.well.borrow(), all);
}
