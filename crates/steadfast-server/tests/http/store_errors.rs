//! Responses while the database fails (K4, H1).

use serde_json::{Value, json};
use steadfast_server::Server;
use steadfast_store::Store;
use steadfast_testing::postgres::{Cluster, Settings};

use crate::{World, world_on};

/// A server on a database that can be made to fail.
struct FailingStore {
    world: World,
    cluster: Cluster,
}

impl FailingStore {
    async fn new() -> Self {
        let cluster = Cluster::start(Settings::default()).unwrap();
        let store = Store::open(&cluster.create_database("failing").unwrap()).await.unwrap();
        Self { world: world_on(store, Server::without_worker).await, cluster }
    }

    fn sql(&self, statement: &str) -> String {
        self.cluster.query("failing", statement).unwrap().trim().to_owned()
    }

    /// No task can be read, and every other statement works.
    fn hide_tasks(&self) {
        self.sql("ALTER TABLE steadfast.faults RENAME TO hidden");
    }

    fn show_tasks(&self) {
        self.sql("ALTER TABLE steadfast.hidden RENAME TO faults");
    }

    async fn task(&self, id: &str) -> Value {
        self.world.get(&format!("/tasks/{id}")).await.good()
    }
}

fn task() -> Value {
    json!({"kind": "a", "payload": 1, "run_at": "1h"})
}

/// D9: a stored task that cannot be read back is reported as accepted, so that it is not submitted
/// twice.
#[tokio::test(flavor = "multi_thread")]
async fn submit_with_unreadable_task_returns_202() {
    let failing = FailingStore::new().await;
    failing.hide_tasks();
    let taken = failing.world.post_json("/tasks", task()).await.problem(202);
    assert_eq!(taken["type"], "urn:steadfast:unread");
    failing.show_tasks();
    let stored = failing.task(taken["id"].as_str().unwrap()).await;
    assert_eq!((&stored["kind"], &stored["status"]), (&json!("a"), &json!("scheduled")));
    assert_eq!(failing.sql("SELECT count(*) FROM steadfast.tasks"), "1");
}

/// D10: the same for control actions.
#[tokio::test(flavor = "multi_thread")]
async fn control_action_with_unreadable_task_returns_202() {
    let failing = FailingStore::new().await;
    let id = failing.world.submit(task()).await;
    for (verb, body, status) in [
        ("expiry", json!({"expires_at": "2h"}), "scheduled"),
        ("run-now", Value::Null, "pending"),
        ("cancel", Value::Null, "cancelled"),
        ("requeue", json!({}), "pending"),
    ] {
        failing.hide_tasks();
        let path = format!("/tasks/{id}/{verb}");
        let answered = match body {
            Value::Null => failing.world.post(&path).await,
            body => failing.world.post_json(&path, body).await,
        };
        assert_eq!(answered.problem(202)["id"], *id, "{verb}");
        failing.show_tasks();
        assert_eq!(failing.task(&id).await["status"], status, "{verb}");
    }
}

/// K4: a read-only database rejects writes and names the primary; reads work.
#[tokio::test(flavor = "multi_thread")]
async fn write_on_standby_is_rejected_with_read_only() {
    let failing = FailingStore::new().await;
    let id = failing.world.submit(task()).await;
    let url =
        format!("{}?options[default_transaction_read_only]=on", failing.cluster.url("failing"));
    let standby = world_on(Store::open(&url).await.unwrap(), Server::without_worker).await;
    assert_eq!(standby.get(&format!("/tasks/{id}")).await.good()["status"], "scheduled");
    for rejected in [
        standby.post_json("/tasks", task()).await,
        standby.post(&format!("/tasks/{id}/cancel")).await,
    ] {
        let rejected = rejected.problem(503);
        assert_eq!(rejected["type"], "urn:steadfast:read-only");
        assert_eq!(rejected["next"], "use the primary");
    }
}

/// J3: only errors that the rules call transient get `Retry-After`.
#[tokio::test(flavor = "multi_thread")]
async fn transient_store_error_returns_503_with_retry_after() {
    let failing = FailingStore::new().await;
    for (code, status, kind) in [
        ("40P01", 503, "urn:steadfast:passing"),
        ("40001", 503, "urn:steadfast:passing"),
        ("57014", 503, "urn:steadfast:passing"),
        ("P0001", 500, "urn:steadfast:failed"),
        ("23514", 500, "urn:steadfast:failed"),
    ] {
        failing.sql(&format!(
            "CREATE OR REPLACE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS
             $$ BEGIN RAISE EXCEPTION 'no' USING ERRCODE = '{code}'; END $$;
             DROP TRIGGER IF EXISTS rejected ON steadfast.tasks;
             CREATE TRIGGER rejected BEFORE INSERT ON steadfast.tasks
             FOR EACH ROW EXECUTE FUNCTION refuse()"
        ));
        let answered = failing.world.request(reqwest::Method::POST, "/api/v1/tasks").json(&task());
        let answered = answered.send().await.unwrap();
        assert_eq!(answered.headers().contains_key("retry-after"), status == 503, "{code}");
        assert_eq!(crate::Answered::of(answered).await.problem(status)["type"], kind, "{code}");
    }
}
