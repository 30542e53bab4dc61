//! What is answered while a database ails (K4, H1).

use serde_json::{Value, json};
use steadfast_server::Server;
use steadfast_store::Store;
use steadfast_testing::postgres::{Cluster, Settings};

use crate::{World, world_on};

/// A server on a database that can be made ill.
struct Ailing {
    world: World,
    cluster: Cluster,
}

impl Ailing {
    async fn new() -> Self {
        let cluster = Cluster::start(Settings::default()).unwrap();
        let store = Store::open(&cluster.create_database("ailing").unwrap()).await.unwrap();
        Self { world: world_on(store, Server::without_worker).await, cluster }
    }

    fn sql(&self, statement: &str) -> String {
        self.cluster.query("ailing", statement).unwrap().trim().to_owned()
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

/// D9: a task that is kept is answered as kept, also if it cannot be shown: nobody submits it twice.
#[tokio::test(flavor = "multi_thread")]
async fn a_task_that_was_taken_and_cannot_be_shown_was_taken() {
    let ailing = Ailing::new().await;
    ailing.hide_tasks();
    let taken = ailing.world.post_json("/tasks", task()).await.problem(202);
    assert_eq!(taken["type"], "urn:steadfast:unread");
    ailing.show_tasks();
    let kept = ailing.task(taken["id"].as_str().unwrap()).await;
    assert_eq!((&kept["kind"], &kept["status"]), (&json!("a"), &json!("scheduled")));
    assert_eq!(ailing.sql("SELECT count(*) FROM steadfast.tasks"), "1");
}

/// D10: so is what was done to one.
#[tokio::test(flavor = "multi_thread")]
async fn what_was_done_to_a_task_that_cannot_be_shown_was_done() {
    let ailing = Ailing::new().await;
    let id = ailing.world.submit(task()).await;
    for (verb, body, status) in [
        ("expiry", json!({"expires_at": "2h"}), "scheduled"),
        ("run-now", Value::Null, "pending"),
        ("cancel", Value::Null, "cancelled"),
        ("requeue", json!({}), "pending"),
    ] {
        ailing.hide_tasks();
        let path = format!("/tasks/{id}/{verb}");
        let answered = match body {
            Value::Null => ailing.world.post(&path).await,
            body => ailing.world.post_json(&path, body).await,
        };
        assert_eq!(answered.problem(202)["id"], *id, "{verb}");
        ailing.show_tasks();
        assert_eq!(ailing.task(&id).await["status"], status, "{verb}");
    }
}

/// K4: a database that takes no writes says so, and who does; reading goes on.
#[tokio::test(flavor = "multi_thread")]
async fn a_standby_sends_writers_to_the_primary() {
    let ailing = Ailing::new().await;
    let id = ailing.world.submit(task()).await;
    let url = format!("{}?options[default_transaction_read_only]=on", ailing.cluster.url("ailing"));
    let standby = world_on(Store::open(&url).await.unwrap(), Server::without_worker).await;
    assert_eq!(standby.get(&format!("/tasks/{id}")).await.good()["status"], "scheduled");
    for refused in [
        standby.post_json("/tasks", task()).await,
        standby.post(&format!("/tasks/{id}/cancel")).await,
    ] {
        let refused = refused.problem(503);
        assert_eq!(refused["type"], "urn:steadfast:read-only");
        assert_eq!(refused["next"], "ask the primary");
    }
}

/// J3: what the rules call passing is answered with when to ask again, and nothing else is.
#[tokio::test(flavor = "multi_thread")]
async fn what_passes_is_to_be_asked_again() {
    let ailing = Ailing::new().await;
    for (code, status, kind) in [
        ("40P01", 503, "urn:steadfast:passing"),
        ("40001", 503, "urn:steadfast:passing"),
        ("57014", 503, "urn:steadfast:passing"),
        ("P0001", 500, "urn:steadfast:failed"),
        ("23514", 500, "urn:steadfast:failed"),
    ] {
        ailing.sql(&format!(
            "CREATE OR REPLACE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS
             $$ BEGIN RAISE EXCEPTION 'no' USING ERRCODE = '{code}'; END $$;
             DROP TRIGGER IF EXISTS refused ON steadfast.tasks;
             CREATE TRIGGER refused BEFORE INSERT ON steadfast.tasks
             FOR EACH ROW EXECUTE FUNCTION refuse()"
        ));
        let answered = ailing.world.request(reqwest::Method::POST, "/api/v1/tasks").json(&task());
        let answered = answered.send().await.unwrap();
        assert_eq!(answered.headers().contains_key("retry-after"), status == 503, "{code}");
        assert_eq!(crate::Answered::of(answered).await.problem(status)["type"], kind, "{code}");
    }
}
