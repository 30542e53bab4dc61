//! A worker that brings tasks into every status.

use serde_json::{Value, json};
use steadfast_api::{Api, ClaimView, Local, NewClaim, from_json};
use steadfast_store::{Actor, Store, Task, TaskId};

/// Claims tasks and settles them.
pub(crate) struct TestWorker {
    store: Store,
    api: Local,
}

impl TestWorker {
    pub(crate) fn new(store: &Store) -> Self {
        Self { store: store.clone(), api: Local::new(store.clone(), Actor::new("worker")) }
    }

    async fn claim(&self) -> ClaimView {
        let request: NewClaim = from_json(r#"{"worker": "w1"}"#, "a claim").unwrap();
        self.api.claim(&request).await.unwrap().claims.remove(0)
    }

    async fn fail(&self, task: Task, fault: Value) -> TaskId {
        self.store.submit(task).await.unwrap();
        self.fail_next(fault).await
    }

    /// Claims the next task and fails it with this fault.
    pub(crate) async fn fail_next(&self, fault: Value) -> TaskId {
        let claim = self.claim().await;
        let failure = json!({"fencing_token": claim.fencing_token, "fault": fault});
        self.api.fail(claim.id, serde_json::from_value(failure).unwrap()).await.unwrap();
        claim.id
    }

    /// A task with a failed attempt that will be retried.
    pub(crate) async fn retrying(&self, task: Task) -> TaskId {
        self.retrying_with(task, "busy").await
    }

    /// The same with this error message.
    pub(crate) async fn retrying_with(&self, task: Task, message: &str) -> TaskId {
        self.fail(task, json!({"http_status": 503, "message": message})).await
    }

    /// A task that is rate limited for 15 minutes.
    pub(crate) async fn rate_limited(&self, task: Task) -> TaskId {
        self.fail(task, json!({"http_status": 429, "message": "slow down", "hint": 900})).await
    }

    /// A failed task with this error message.
    pub(crate) async fn failed(&self, task: Task, message: &str) -> TaskId {
        let cause = json!({"kind": "connection_reset", "message": message});
        self.fail(task, json!({"http_status": 404, "message": message, "causes": [cause]})).await
    }

    /// A completed task.
    pub(crate) async fn completed(&self, task: Task, result: Value) -> TaskId {
        self.store.submit(task).await.unwrap();
        let claim = self.claim().await;
        let completion = json!({"fencing_token": claim.fencing_token, "result": result});
        self.api.complete(claim.id, serde_json::from_value(completion).unwrap()).await.unwrap();
        claim.id
    }

    /// One task in every status.
    pub(crate) async fn one_per_status(&self) -> Vec<(&'static str, TaskId)> {
        let task = || Task::new("send", &json!({"to": "ada"})).policy("patient");
        let mut all = vec![
            ("completed", self.completed(task(), json!("sent")).await),
            ("failed", self.failed(task().correlation_id("one"), "no such person").await),
            ("scheduled", self.retrying(task().correlation_id("one")).await),
        ];
        let cancelled = self.store.submit(task()).await.unwrap().id;
        self.store.cancel(cancelled, &Actor::new("worker")).await.unwrap();
        self.store.submit(task()).await.unwrap();
        let running = self.claim().await.id;
        let pending = self.store.submit(task()).await.unwrap().id;
        all.extend([("cancelled", cancelled), ("running", running), ("pending", pending)]);
        all
    }
}
