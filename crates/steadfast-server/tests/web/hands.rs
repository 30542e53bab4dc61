//! Somebody who works on tasks, so that there is something to show.

use serde_json::{Value, json};
use steadfast_api::{Api, ClaimView, Local, NewClaim, from_json};
use steadfast_store::{Actor, Store, Task, TaskId};

/// A worker.
pub(crate) struct Hands {
    store: Store,
    api: Local,
}

impl Hands {
    pub(crate) fn of(store: &Store) -> Self {
        Self { store: store.clone(), api: Local::new(store.clone(), Actor::new("hands")) }
    }

    async fn claim(&self) -> ClaimView {
        let wanted: NewClaim = from_json(r#"{"worker": "w1"}"#, "a claim").unwrap();
        self.api.claim(&wanted).await.unwrap().claims.remove(0)
    }

    async fn fail(&self, task: Task, fault: Value) -> TaskId {
        self.store.submit(task).await.unwrap();
        self.fail_next(fault).await
    }

    /// The task that is next in line fails like this.
    pub(crate) async fn fail_next(&self, fault: Value) -> TaskId {
        let claim = self.claim().await;
        let failure = json!({"version": claim.version, "fault": fault});
        self.api.fail(claim.id, serde_json::from_value(failure).unwrap()).await.unwrap();
        claim.id
    }

    /// A task that has failed and will be tried again.
    pub(crate) async fn retrying(&self, task: Task) -> TaskId {
        self.retrying_after(task, "busy").await
    }

    /// The same, with these words.
    pub(crate) async fn retrying_after(&self, task: Task, words: &str) -> TaskId {
        self.fail(task, json!({"http_status": 503, "message": words})).await
    }

    /// A task that the other side asked to come back in a quarter of an hour.
    pub(crate) async fn asked_to_wait(&self, task: Task) -> TaskId {
        self.fail(task, json!({"http_status": 429, "message": "slow down", "hint": 900})).await
    }

    /// A task that has failed for good, with these words.
    pub(crate) async fn failed_for_good(&self, task: Task, words: &str) -> TaskId {
        let cause = json!({"kind": "connection_reset", "message": words});
        self.fail(task, json!({"http_status": 404, "message": words, "causes": [cause]})).await
    }

    /// A task that is done.
    pub(crate) async fn completed(&self, task: Task, result: Value) -> TaskId {
        self.store.submit(task).await.unwrap();
        let claim = self.claim().await;
        let done = json!({"version": claim.version, "result": result});
        self.api.complete(claim.id, serde_json::from_value(done).unwrap()).await.unwrap();
        claim.id
    }

    /// A task in every place.
    pub(crate) async fn one_everywhere(&self) -> Vec<(&'static str, TaskId)> {
        let task = || Task::new("send", &json!({"to": "ada"})).policy("patient");
        let mut all = vec![
            ("completed", self.completed(task(), json!("sent")).await),
            ("failed", self.failed_for_good(task().correlation_id("one"), "no such person").await),
            ("scheduled", self.retrying(task().correlation_id("one")).await),
        ];
        let cancelled = self.store.submit(task()).await.unwrap().id;
        self.store.cancel(cancelled, &Actor::new("hands")).await.unwrap();
        self.store.submit(task()).await.unwrap();
        let running = self.claim().await.id;
        let pending = self.store.submit(task()).await.unwrap().id;
        all.extend([("cancelled", cancelled), ("running", running), ("pending", pending)]);
        all
    }
}
