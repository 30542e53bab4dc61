//! Tasks as sessions (O1), on both stores.

use std::time::Duration;

use serde_json::{Value, json};
use steadfast::observe::Session;
use steadfast_server::Server;
use steadfast_store::{Retention, Store};

use crate::sessions::record;
use crate::stores::cases;
use crate::{World, world_on};

cases! {
    ended_task_is_a_session,
    running_task_is_an_unfinished_session,
    task_without_attempts_is_not_a_session,
    requeued_task_starts_a_new_session,
    pruned_attempts_are_counted,
    tasks_and_recorded_sessions_are_one_list,
    task_sessions_are_filtered,
    sessions_match_metrics_summary,
    task_session_is_redacted,
}

async fn opened(store: Store) -> World {
    world_on(store, Server::without_worker).await
}

fn busy() -> Value {
    json!({"http_status": 503, "message": "busy"})
}

impl World {
    /// A task of this kind with two attempts.
    async fn put(&self, kind: &str) -> String {
        self.submit(json!({"kind": kind, "payload": 1, "policy": "twice"})).await
    }

    /// The next attempt fails.
    async fn fails(&self, fault: Value) {
        let claim = self.next_claim().await;
        let failure = json!({"version": claim["version"], "fault": fault});
        let path = format!("/claims/{}/fail", claim["id"].as_str().unwrap());
        self.post_json(&path, failure).await.good();
    }

    /// The next attempt succeeds.
    async fn succeeds(&self, result: Value) {
        let claim = self.next_claim().await;
        let done = json!({"version": claim["version"], "result": result});
        let path = format!("/claims/{}/complete", claim["id"].as_str().unwrap());
        assert!(self.post_json(&path, done).await.status.is_success());
    }

    /// A task of this kind that failed permanently after one attempt.
    async fn gone(&self, kind: &str) -> String {
        let id = self.put(kind).await;
        self.fails(json!({"http_status": 404})).await;
        id
    }

    async fn session(&self, id: &str) -> Session {
        let response = self.get(&format!("/tasks/{id}/session")).await.good();
        serde_json::from_value(response).expect("it is valid as S4 demands")
    }

    /// Every session, page by page.
    async fn sessions(&self, query: &str, limit: u32) -> Vec<Value> {
        let (mut all, mut after) = (Vec::new(), String::new());
        loop {
            let page = self.get(&format!("/sessions?limit={limit}{query}{after}")).await.good();
            all.extend(page["items"].as_array().unwrap().clone());
            let Some(next) = page["next"].as_str() else { return all };
            after = format!("&after={next}");
        }
    }

    async fn operations_by(&self, query: &str) -> Vec<String> {
        let sessions = self.sessions(query, 50).await;
        sessions.iter().map(|it| it["operation"].as_str().unwrap().to_owned()).collect()
    }
}

/// O1, O4: every attempt with its fault and decision, and the outcome.
async fn ended_task_is_a_session(store: Store) {
    let world = opened(store).await;
    let task = json!({"kind": "mail.send", "payload": 1, "policy": "twice", "queue": "default",
                      "category": "acme", "correlation_id": "request-7"});
    let id = world.submit(task).await;
    world.fails(busy()).await;
    world.succeeds(json!({"sent": true})).await;
    let session = world.session(&id).await;
    assert_eq!((&*session.session_id, &*session.policy_id), (&*id, "twice"));
    assert_eq!((&*session.operation, session.success), ("mail.send", true));
    assert_eq!(session.correlation_id.as_deref(), Some("request-7"));
    assert_eq!(session.final_result, Some(json!({"sent": true})));
    let context = session.context.clone().unwrap();
    assert_eq!((&context["queue"], &context["category"]), (&json!("default"), &json!("acme")));
    let (failed, done) = (&session.attempts[0], &session.attempts[1]);
    assert_eq!((failed.attempt_number, done.attempt_number), (1, 2));
    assert_eq!(failed.error.as_ref().unwrap().to_string(), "http:503: busy");
    let why = failed.why.as_ref().unwrap().to_string();
    assert!(why.contains("makes it retryable; backoff for retry 1"), "{why}");
    assert!(done.success && done.error.is_none() && !failed.success);
    let total: Duration = session.attempts.iter().map(|it| it.delay + it.duration).sum();
    let whole = session.total_duration().unwrap();
    assert!(total.abs_diff(whole) < Duration::from_micros(1), "{total:?} of {whole:?}");
    let task = world.get(&format!("/tasks/{id}")).await.good();
    assert_eq!(json!(session.end_time), task["ended_at"]);
}

/// O1: an unfinished task has its attempts so far.
async fn running_task_is_an_unfinished_session(store: Store) {
    let world = opened(store).await;
    let id = world.put("mail.send").await;
    world.fails(busy()).await;
    let session = world.session(&id).await;
    assert_eq!((session.attempts.len(), session.end_time, session.success), (1, None, false));
    assert_eq!(world.operations_by("").await, [""; 0], "only what has ended is listed");
}

/// S4: a session has at least one attempt.
async fn task_without_attempts_is_not_a_session(store: Store) {
    let world = opened(store).await;
    let id = world.put("mail.send").await;
    let problem = world.get(&format!("/tasks/{id}/session")).await.problem(404);
    assert!(problem["detail"].as_str().unwrap().contains("no attempt"), "{problem}");
    world.post(&format!("/tasks/{id}/cancel")).await.good();
    world.get(&format!("/tasks/{id}/session")).await.problem(404);
    assert_eq!(world.operations_by("").await, [""; 0]);
    world.get("/tasks/00000000-0000-7000-8000-000000000000/session").await.problem(404);
}

/// D10, O1: attempts before a requeue are not in the new session.
async fn requeued_task_starts_a_new_session(store: Store) {
    let world = opened(store).await;
    let id = world.put("mail.send").await;
    world.fails(busy()).await;
    world.fails(busy()).await;
    let session = world.session(&id).await;
    assert_eq!((session.attempts.len(), session.retry_count()), (2, 1));
    assert_eq!(session.reason.unwrap().name(), "attempts_exhausted");
    assert_eq!(session.final_error, session.attempts[1].error);
    let fresh = json!({"fresh": true});
    world.post_json(&format!("/tasks/{id}/requeue"), fresh).await.good();
    world.get(&format!("/tasks/{id}/session")).await.problem(404);
    world.succeeds(Value::Null).await;
    let session = world.session(&id).await;
    assert_eq!((session.attempts.len(), session.forgotten_attempts), (1, 0));
    assert!(session.success && session.attempts[0].attempt_number == 1);
}

/// D14: the number of pruned attempts and the last outcome are known.
async fn pruned_attempts_are_counted(store: Store) {
    let world = opened(store).await;
    let id = world.put("mail.send").await;
    world.fails(busy()).await;
    world.fails(busy()).await;
    world.store.compress(Duration::ZERO, 10).await.unwrap();
    let mut retention = Retention::forever();
    retention.faults_for = Some(Duration::ZERO);
    while !world.store.prune(&retention).await.unwrap().is_nothing() {}
    let session = world.session(&id).await;
    assert_eq!((session.attempts.len(), session.forgotten_attempts), (1, 1));
    assert_eq!(session.attempts[0].attempt_number, 2);
    assert!(session.final_error.unwrap().message.contains("busy"));
}

/// O1, H1: latest end first, each once, with any page size.
async fn tasks_and_recorded_sessions_are_one_list(store: Store) {
    let world = opened(store).await;
    world.gone("first").await;
    record(&world).await;
    world.gone("second").await;
    world.gone("third").await;
    record(&world).await;
    let recorded = ["shop.pay", "shop.pay", "browser.save"];
    let order = [&recorded[..], &["third", "second"], &recorded, &["first"]].concat();
    let all = world.sessions("", 50).await;
    assert_eq!(world.operations_by("").await, order);
    assert!(all.iter().all(|session| session["final_result"].is_null()));
    for limit in [1, 2, 3, 8] {
        assert_eq!(world.sessions("", limit).await, all, "{limit} at a time");
    }
    let page = world.get("/sessions?limit=2").await.good();
    let next = page["next"].as_str().unwrap();
    world.gone("fourth").await;
    let page = world.get(&format!("/sessions?limit=2&after={next}")).await.good();
    assert_eq!(page["items"], json!(all[2..4]), "what comes meanwhile moves nothing");
    for foreign in ["7", "x/", "/x", "-/ended:1:2:3"] {
        let rejected = world.get(&format!("/sessions?after={foreign}")).await.problem(400);
        assert_eq!(rejected["field"], "after", "{foreign}");
    }
}

/// H1: by policy, kind, outcome, time and correlation id.
async fn task_sessions_are_filtered(store: Store) {
    let world = opened(store).await;
    record(&world).await;
    world.gone("mail.send").await;
    let other = json!({"kind": "done", "payload": 1, "policy": "calls", "correlation_id": "mine"});
    world.submit(other).await;
    world.succeeds(Value::Null).await;
    let id = world.put("off").await;
    world.fails(busy()).await;
    world.post(&format!("/tasks/{id}/cancel")).await.good();
    for (query, expected) in [
        ("&policy=twice", &["off", "mail.send"][..]),
        ("&policy=calls", &["done", "shop.pay", "shop.pay"]),
        ("&operation=mail.send", &["mail.send"]),
        ("&outcome=success", &["done", "browser.save"]),
        ("&outcome=cancelled", &["off", "shop.pay"]),
        ("&outcome=failure&policy=twice", &["mail.send"]),
        ("&correlation_id=mine", &["done"]),
        ("&since=2120-01-01T00:00:00Z", &[]),
        ("&since=2020-01-01T00:00:00Z&operation=done", &["done"]),
    ] {
        assert_eq!(world.operations_by(query).await, expected, "{query}");
    }
    let ended = &world.sessions("&operation=done", 1).await[0]["end_time"];
    let since = format!("&since={}", ended.as_str().unwrap());
    assert_eq!(world.operations_by(&since).await, ["off", "done"]);
}

/// O1: the list and the summary agree.
async fn sessions_match_metrics_summary(store: Store) {
    let world = opened(store).await;
    record(&world).await;
    world.gone("mail.send").await;
    world.put("mail.fetch").await;
    world.fails(json!({"http_status": 429, "hint": 0.001})).await;
    world.fails(busy()).await;
    world.succeeds(Value::Null).await;
    let sessions = world.sessions("", 2).await;
    let summary = world.get("/metrics/summary").await.good();
    assert_eq!(summary["total_sessions"], sessions.len());
    let successes = sessions.iter().filter(|session| session["success"] == true).count();
    assert_eq!(summary["successful_sessions"], successes);
    let attempts: u64 = sessions.iter().map(|it| it["total_attempts"].as_u64().unwrap()).sum();
    assert_eq!(summary["total_attempts"], attempts);
    let took: f64 = sessions.iter().map(|it| it["total_duration"].as_f64().unwrap()).sum();
    assert!((summary["total_duration"].as_f64().unwrap() - took).abs() < 1e-3, "{summary}");
    let of_mail =
        sessions.iter().filter(|it| it["operation"].as_str().unwrap().starts_with("mail."));
    assert_eq!(summary["by_subsystem"]["mail"]["sessions"], of_mail.count());
}

/// O5: neither faults nor results contain secrets.
async fn task_session_is_redacted(store: Store) {
    let world = opened(store).await;
    let id = world.put("mail.send").await;
    let words = "cannot log in with password=hunter2";
    let cause = json!({"message": words});
    world.fails(json!({"http_status": 503, "message": words, "causes": [cause]})).await;
    world.succeeds(json!({"token": "hunter2"})).await;
    let one = world.get(&format!("/tasks/{id}/session")).await.good().to_string();
    let all = world.get("/sessions").await.good().to_string();
    for response in [one, all] {
        assert!(response.contains("cannot log in") && !response.contains("hunter2"), "{response}");
    }
}
