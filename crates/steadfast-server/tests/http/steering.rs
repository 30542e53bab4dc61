//! What people do to tasks, queues and breakers (D10, D16, G1).

use serde_json::json;
use steadfast::guard::BudgetSettings;
use steadfast_store::BudgetReport;

use crate::world;

/// D10: a task is cancelled, requeued and run now, and what cannot be is told with what can.
#[tokio::test]
async fn a_task_is_steered() {
    let world = world().await;
    let id = world.submit(json!({"kind": "a", "payload": 1, "run_at": "2h"})).await;
    let at = |verb: &str| format!("/tasks/{id}/{verb}");
    assert_eq!(world.post(&at("run-now")).await.good()["status"], "pending");
    world.post(&at("requeue")).await.problem(409);
    assert_eq!(world.post(&at("cancel")).await.good()["status"], "cancelled");
    let refused = world.post(&at("cancel")).await.problem(409);
    assert_eq!(refused["type"], "urn:steadfast:wrong-status");
    assert_eq!(world.post(&at("requeue")).await.good()["status"], "pending");
}

/// D10: requeueing is for now, unless the time that the task had is to stand.
#[tokio::test]
async fn a_task_can_be_requeued_for_the_time_it_had() {
    let world = world().await;
    let id = world.submit(json!({"kind": "a", "payload": 1, "run_at": "2h"})).await;
    let due = world.post(&format!("/tasks/{id}/cancel")).await.good()["scheduled_at"].clone();
    let again = world.post_json(&format!("/tasks/{id}/requeue"), json!({"keep_time": true})).await;
    let again = again.good();
    assert_eq!((&again["status"], &again["scheduled_at"]), (&json!("scheduled"), &due));
}

/// D10: requeueing counts from the start, unless it is said not to.
#[tokio::test]
async fn a_task_can_be_requeued_without_a_fresh_count() {
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

/// D16: many at once, first tried dry.
#[tokio::test]
async fn many_tasks_are_requeued_at_a_rate() {
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

/// D16: what was done is not done again because somebody forgot to say what failed.
#[tokio::test]
async fn requeueing_everything_has_to_be_said() {
    let world = world().await;
    let id = world.submit(json!({"kind": "a", "payload": 1})).await;
    let (_, version) = world.claim().await;
    world.post_json(&format!("/claims/{id}/complete"), json!({"version": version})).await.good();
    for vague in [json!({}), json!({"filter": {"kind": "a"}})] {
        let refused = world.post_json("/tasks/requeue", vague).await.problem(400);
        assert_eq!(refused["field"], "filter.status");
        assert!(refused["next"].as_str().unwrap().contains("\"all\": true"), "{refused}");
    }
    assert_eq!(world.get("/stats").await.good()["completed"], 1);
    let all = world.post_json("/tasks/requeue", json!({"all": true})).await.good();
    assert_eq!(all["count"], 1);
}

/// D10: when a task is too late can be changed: to a time, to so long from now, to never.
#[tokio::test]
async fn an_expiry_is_changed() {
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
    let refused = world.post_json(&at, json!({})).await.problem(400);
    assert!(refused["detail"].as_str().unwrap().contains("expires_at"), "{refused}");
}

/// D10, K4: a queue that nobody knows is a slip, unless it is said that it is new.
#[tokio::test]
async fn a_pause_of_nothing_is_refused() {
    let world = world().await;
    world.submit(json!({"kind": "a", "payload": 1, "queue": "mail"})).await;
    for verb in ["pause", "resume"] {
        let refused = world.post(&format!("/queues/mial/{verb}")).await.problem(404);
        assert_eq!(refused["field"], "queue");
        assert!(refused["next"].as_str().unwrap().contains("did you mean `mail`?"), "{refused}");
    }
    assert_eq!(world.store.queues().await.unwrap().len(), 1);
    assert_eq!(world.post("/queues/reports/pause?new=true").await.status, 204);
    let reports = &world.store.queues().await.unwrap()[1];
    assert_eq!((reports.name.as_str(), reports.paused), ("reports", true));
    assert_eq!(world.post("/queues/reports/resume").await.status, 204);
    world.post("/queues/reports/pause?nwe=true").await.problem(400);
}

/// D10: nothing is taken from a queue that is paused.
#[tokio::test]
async fn a_queue_is_paused_and_resumed() {
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

/// G1: what is wanted of a breaker is written down for every instance.
#[tokio::test]
async fn a_breaker_is_opened_and_closed_by_hand() {
    let world = world().await;
    assert_eq!(world.get("/breakers").await.good(), json!([]));
    assert_eq!(world.post("/breakers/calls/open").await.status, 204);
    let breakers = world.get("/breakers").await.good();
    assert_eq!(
        (&breakers[0]["policy"], &breakers[0]["order"]["wish"]),
        (&json!("calls"), &json!("open"))
    );
    assert_eq!(world.post("/breakers/calls/isolate").await.status, 204);
    assert_eq!(world.get("/breakers").await.good()[0]["order"]["wish"], "isolate");
    assert_eq!(world.post("/breakers/calls/close").await.status, 204);
    assert_eq!(world.get("/breakers").await.good()[0]["order"]["wish"], "close");
}

/// G3: what the budgets of every instance have left, and of how much.
#[tokio::test]
async fn the_budgets_of_every_instance_are_told() {
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

/// G1, K4: an order to a breaker that nobody has would be kept for ever and obeyed by none.
#[tokio::test]
async fn a_breaker_that_nobody_knows_takes_no_orders() {
    let world = world().await;
    let refused = world.post("/breakers/cals/isolate").await.problem(404);
    assert_eq!(refused["detail"], "there is no policy `cals`");
    assert!(refused["next"].as_str().unwrap().contains("`calls`"), "{refused}");
    assert_eq!(world.get("/breakers").await.good(), json!([]));
}

/// D10: nothing said of how is what is usual, in every way of saying nothing.
#[tokio::test]
async fn a_requeue_that_says_nothing_is_a_fresh_one() {
    let world = world().await;
    for said in ["", "null", "{}"] {
        let id = world.submit(json!({"kind": "a", "payload": 1})).await;
        world.post(&format!("/tasks/{id}/cancel")).await.good();
        let task = world.post_text(&format!("/tasks/{id}/requeue"), said).await.good();
        assert_eq!(task["status"], "pending", "{said}");
    }
}
