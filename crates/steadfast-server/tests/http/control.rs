//! Control actions on tasks, queues and breakers (D10, D16, G1).

use serde_json::json;
use steadfast::guard::BudgetSettings;
use steadfast_store::BudgetReport;

use crate::world;

/// D10: a task is cancelled, requeued and run now; an impossible action is rejected with the possible
/// ones.
#[tokio::test]
async fn task_is_cancelled_requeued_and_run_now() {
    let world = world().await;
    let id = world.submit(json!({"kind": "a", "payload": 1, "run_at": "2h"})).await;
    let at = |verb: &str| format!("/tasks/{id}/{verb}");
    assert_eq!(world.post(&at("run-now")).await.good()["status"], "pending");
    world.post(&at("requeue")).await.problem(409);
    assert_eq!(world.post(&at("cancel")).await.good()["status"], "cancelled");
    let rejected = world.post(&at("cancel")).await.problem(409);
    assert_eq!(rejected["type"], "urn:steadfast:wrong-status");
    assert_eq!(world.post(&at("requeue")).await.good()["status"], "pending");
}

/// D10: a requeue is due now, unless it keeps the scheduled time.
#[tokio::test]
async fn requeue_can_keep_scheduled_time() {
    let world = world().await;
    let id = world.submit(json!({"kind": "a", "payload": 1, "run_at": "2h"})).await;
    let due = world.post(&format!("/tasks/{id}/cancel")).await.good()["scheduled_at"].clone();
    let again = world.post_json(&format!("/tasks/{id}/requeue"), json!({"keep_time": true})).await;
    let again = again.good();
    assert_eq!((&again["status"], &again["scheduled_at"]), (&json!("scheduled"), &due));
}

/// D10: a requeue resets the attempt count, unless requested otherwise.
#[tokio::test]
async fn requeue_can_keep_attempt_count() {
    let world = world().await;
    let id = world.submit(json!({"kind": "a", "payload": 1})).await;
    let (_, version) = world.claim().await;
    let fault = json!({"version": version, "fault": {"http_status": 404}});
    world.post_json(&format!("/claims/{id}/fail"), fault).await.good();
    let again = world.post_json(&format!("/tasks/{id}/requeue"), json!({"fresh": false})).await;
    assert_eq!(again.good()["attempts"], 1);
    let wrong = world.post_json(&format!("/tasks/{id}/requeue"), json!({"frehs": false})).await;
    assert_eq!(wrong.problem(400)["next"], "did you mean `fresh`?");
}

/// D16: many tasks, with a dry run first.
#[tokio::test]
async fn bulk_requeue_is_rate_limited_with_dry_run() {
    let world = world().await;
    for n in 0..4 {
        let id = world.submit(json!({"kind": "a", "payload": n})).await;
        world.post(&format!("/tasks/{id}/cancel")).await.good();
    }
    let mut which = json!({"filter": {"status": "cancelled"}, "rate": 2, "dry_run": true});
    let dry = world.post_json("/tasks/requeue", which.clone()).await.good();
    assert_eq!(dry, json!({"count": 4, "over": 2.0, "dry_run": true}));
    assert_eq!(world.get("/stats").await.good()["cancelled"], 4);
    which["dry_run"] = json!(false);
    assert_eq!(world.post_json("/tasks/requeue", which).await.good()["count"], 4);
    assert_eq!(world.get("/stats").await.good()["cancelled"], 0);
}

/// D16: completed tasks are not repeated because a status was omitted.
#[tokio::test]
async fn bulk_requeue_without_status_is_rejected() {
    let world = world().await;
    let id = world.submit(json!({"kind": "a", "payload": 1})).await;
    let (_, version) = world.claim().await;
    world.post_json(&format!("/claims/{id}/complete"), json!({"version": version})).await.good();
    for vague in [json!({}), json!({"filter": {"kind": "a"}})] {
        let rejected = world.post_json("/tasks/requeue", vague).await.problem(400);
        assert_eq!(rejected["field"], "filter.status");
        assert!(rejected["next"].as_str().unwrap().contains("\"all\": true"), "{rejected}");
    }
    assert_eq!(world.get("/stats").await.good()["completed"], 1);
    let all = world.post_json("/tasks/requeue", json!({"all": true})).await.good();
    assert_eq!(all["count"], 1);
}

/// D10: the expiry can be set to a time, a duration or never.
#[tokio::test]
async fn expiry_is_changed() {
    let world = world().await;
    let id = world.submit(json!({"kind": "a", "payload": 1, "run_at": "2h"})).await;
    let at = format!("/tasks/{id}/expiry");
    let time = "2099-01-01T00:00:00Z";
    let changed = world.post_json(&at, json!({"expires_at": time})).await.good();
    assert_eq!(changed["expires_at"], time);
    let soon = world.post_json(&at, json!({"expires_at": "3h"})).await.good();
    assert!(soon["expires_at"].as_str().unwrap() < time, "{soon}");
    let never = world.post_json(&at, json!({"expires_at": null})).await.good();
    assert_eq!(never["expires_at"], json!(null));
    let rejected = world.post_json(&at, json!({})).await.problem(400);
    assert!(rejected["detail"].as_str().unwrap().contains("expires_at"), "{rejected}");
}

/// D10, K4: pausing an unknown queue is rejected unless it is declared new.
#[tokio::test]
async fn pause_of_unknown_queue_is_rejected() {
    let world = world().await;
    world.submit(json!({"kind": "a", "payload": 1, "queue": "mail"})).await;
    for verb in ["pause", "resume"] {
        let rejected = world.post(&format!("/queues/mial/{verb}")).await.problem(404);
        assert_eq!(rejected["field"], "queue");
        let next = rejected["next"].as_str().unwrap();
        assert!(next.contains("did you mean `mail`?"), "{rejected}");
        assert_eq!(next.contains("new=true"), verb == "pause", "{rejected}");
    }
    assert_eq!(world.store.queues().await.unwrap().len(), 1);
    assert_eq!(world.post("/queues/reports/pause?new=true").await.status, 204);
    let reports = &world.store.queues().await.unwrap()[1];
    assert_eq!((reports.name.as_str(), reports.paused), ("reports", true));
    assert_eq!(world.post("/queues/reports/resume").await.status, 204);
    world.post("/queues/reports/pause?nwe=true").await.problem(400);
}

/// D10: tasks of a paused queue are not claimed.
#[tokio::test]
async fn paused_queue_is_not_claimed() {
    let world = world().await;
    world.submit(json!({"kind": "a", "payload": 1, "queue": "mail & more"})).await;
    let claim = json!({"worker": "w1"});
    assert_eq!(world.post("/queues/mail%20%26%20more/pause").await.status, 204);
    assert_eq!(world.get("/queues").await.good()[0]["paused"], true);
    assert_eq!(world.post_json("/claims", claim.clone()).await.good()["claims"], json!([]));
    assert_eq!(world.post("/queues/mail%20%26%20more/resume").await.status, 204);
    let claims = world.post_json("/claims", claim).await.good();
    assert_eq!(claims["claims"].as_array().unwrap().len(), 1);
}

/// G1: a breaker command is stored for every instance.
#[tokio::test]
async fn breaker_command_is_stored() {
    let world = world().await;
    assert_eq!(world.get("/breakers").await.good(), json!([]));
    assert_eq!(world.post("/breakers/calls/open").await.status, 204);
    let breakers = world.get("/breakers").await.good();
    assert_eq!(
        (&breakers[0]["policy"], &breakers[0]["last_override"]["command"]),
        (&json!("calls"), &json!("open"))
    );
    assert_eq!(world.post("/breakers/calls/isolate").await.status, 204);
    assert_eq!(world.get("/breakers").await.good()[0]["last_override"]["command"], "isolate");
    assert_eq!(world.post("/breakers/calls/close").await.status, 204);
    assert_eq!(world.get("/breakers").await.good()[0]["last_override"]["command"], "close");
}

/// G3: the balance and size of the budgets of every instance.
#[tokio::test]
async fn budgets_of_every_instance_are_listed() {
    let world = world().await;
    assert_eq!(world.get("/budgets").await.good(), json!([]));
    let report = BudgetReport {
        policy: "calls".to_owned(),
        instance: "shop-1".to_owned(),
        seen_at: None,
        balance: 3,
        settings: BudgetSettings::Rate { retries_per_second: 7.0 },
    };
    world.store.report_budgets(&[report]).await.unwrap();
    let budgets = world.get("/budgets").await.good();
    assert!(budgets[0]["seen_at"].is_string(), "{budgets}");
    assert_eq!(
        (&budgets[0]["policy"], &budgets[0]["balance"], &budgets[0]["settings"]),
        (&json!("calls"), &json!(3), &json!({"retries_per_second": 7.0}))
    );
}

/// G1, K4: a command for an unknown breaker would be stored forever without effect.
#[tokio::test]
async fn command_for_unknown_breaker_is_rejected() {
    let world = world().await;
    let rejected = world.post("/breakers/cals/isolate").await.problem(404);
    assert_eq!(rejected["detail"], "unknown policy `cals`");
    assert!(rejected["next"].as_str().unwrap().contains("`calls`"), "{rejected}");
    assert_eq!(world.get("/breakers").await.good(), json!([]));
}

/// D10: an empty, null or missing body means the defaults.
#[tokio::test]
async fn requeue_with_empty_body_uses_defaults() {
    let world = world().await;
    for said in ["", "null", "{}"] {
        let id = world.submit(json!({"kind": "a", "payload": 1})).await;
        world.post(&format!("/tasks/{id}/cancel")).await.good();
        let task = world.post_text(&format!("/tasks/{id}/requeue"), said).await.good();
        assert_eq!(task["status"], "pending", "{said}");
    }
}
