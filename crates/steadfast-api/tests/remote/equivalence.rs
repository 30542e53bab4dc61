//! Every request, sent to a store and to a server.

use std::time::Duration;

use serde_json::value::to_raw_value;
use serde_json::{Value, json};
use steadfast::Fault;
use steadfast_api::{
    Api, ApiError, AttemptFailure, AuditFilter, ClassifyRequest, Completion, EventFilter,
    EventsFrom, HeartbeatRequest, NewClaim, NewTask, PageQuery, PlanQuery, RequeueMany, RequeueOne,
    SessionFilter, TaskFilter, WorkerView,
};
use steadfast_store::{BreakerCommand, Cursor, Status, TaskId, When};
use steadfast_testing::poll::eventually_some;

use crate::both;
use crate::normalize::normalized;

fn new(json: &str) -> NewTask {
    NewTask::from_json(json).unwrap()
}

fn claim(limit: u32) -> NewClaim {
    serde_json::from_value(json!({"worker": "w1", "limit": limit})).unwrap()
}

/// Sends the same request to both, and returns the response.
macro_rules! same {
    ($both:ident, $api:ident => $($request:tt)*) => {{
        let mut responses = Vec::new();
        for $api in $both.each() {
            responses.push(normalized({ $($request)* }));
        }
        let [local, remote]: [Value; 2] = responses.try_into().unwrap();
        assert_eq!(local, remote, "{}", stringify!($($request)*));
        local
    }};
}

const ALL_FIELDS: &str = r#"{"kind": "call", "payload": {"url": "https://a.example/", "n": 1.10},
    "queue": "mail & more", "category": "c1", "priority": 3, "policy": "calls", "run_at": "2h",
    "expires_at": "2099-01-01T00:00:00Z", "idempotency_key": "a/b?c&d", "correlation_id": "r1",
    "hold_category": true}"#;

/// H1, D9: submits with all fields, few fields, a key, a fault, in a batch, and invalid ones.
#[tokio::test]
async fn submit_responses_are_equal() {
    let both = both().await;
    let first = same!(both, api => api.submit(new(ALL_FIELDS)).await);
    assert_eq!(first["response"]["existed"], false);
    let again = same!(both, api => api.submit(new(ALL_FIELDS)).await);
    assert_eq!(again["response"]["existed"], true);
    for json in [
        r#"{"kind": "k", "payload": null}"#,
        r#"{"kind": "k", "payload": 1, "policy": {"max_retries": 4, "base_delay": "2s"}}"#,
        r#"{"kind": "k", "payload": 1, "first_fault": {"http_status": 404, "message": "no"}}"#,
        r#"{"kind": "k", "payload": 2, "idempotency_key": "a/b?c&d"}"#,
        r#"{"kind": "k", "payload": 1, "policy": "cals"}"#,
        r#"{"kind": "", "payload": 1}"#,
        r#"{"kind": "k", "payload": 1, "id": "7c9e6679-7425-40de-944b-e07fc1f90ae7"}"#,
    ] {
        same!(both, api => api.submit(new(json)).await);
        same!(both, api => api.preview(new(json)).await);
    }
    let good = r#"[{"kind": "k", "payload": 1}, {"kind": "k", "payload": 2}]"#;
    let batch = same!(both, api => api.submit_all(NewTask::all_from_json(good).unwrap()).await);
    assert_eq!(batch["response"].as_array().unwrap().len(), 2);
    let bad = r#"[{"kind": "k", "payload": 1}, {"kind": "k", "payload": 2, "policy": "cals"}]"#;
    let rejected = same!(both, api => api.submit_all(NewTask::all_from_json(bad).unwrap()).await);
    assert_eq!(rejected["rejection"]["field"], "[1].policy");
}

/// H1, D15: reads of one task, by its key, of lists and counts, and invalid ones.
#[tokio::test]
async fn read_responses_are_equal() {
    let both = both().await;
    same!(both, api => api.submit(new(ALL_FIELDS)).await);
    same!(both, api => api.submit(new(r#"{"kind": "k", "payload": 1}"#)).await);
    let failed = r#"{"kind": "k", "payload": 1, "first_fault": {"http_status": 404}}"#;
    same!(both, api => api.submit(new(failed)).await);
    same!(both, api => api.task_by_key("a/b?c&d").await);
    same!(both, api => api.task_by_key("unknown").await);
    let id = TaskId::fresh();
    same!(both, api => api.task(id).await);
    let day = Some(Duration::from_secs(86_400));
    for filter in [
        TaskFilter::default(),
        TaskFilter::status(Status::Failed),
        TaskFilter { queue: Some("mail & more".to_owned()), ..TaskFilter::default() },
        TaskFilter { due_within: day, ..TaskFilter::default() },
        TaskFilter {
            submitted_after: Some("2026-01-01T00:00:00Z".parse().unwrap()),
            ..TaskFilter::default()
        },
        TaskFilter { kind: Some(String::new()), ..TaskFilter::default() },
    ] {
        same!(both, api => api.tasks(&filter, &PageQuery::default()).await);
    }
    for page in [
        PageQuery { limit: 0, after: None },
        PageQuery { limit: 5000, after: None },
        PageQuery { limit: 5, after: Some(Cursor("nonsense".to_owned())) },
    ] {
        let rejected = same!(both, api => api.tasks(&TaskFilter::default(), &page).await);
        assert!(rejected["rejection"]["field"].is_string(), "{rejected}");
    }
    same!(both, api => api.stats().await);
    same!(both, api => api.queues().await);
    for api in both.each() {
        assert!(api.now().await.unwrap() > "2026-01-01T00:00:00Z".parse().unwrap());
    }
}

/// H1: a list is read to its end by its cursors.
#[tokio::test]
async fn pages_list_every_task_once() {
    let both = both().await;
    for _ in 0..5 {
        same!(both, api => api.submit(new(r#"{"kind": "k", "payload": 1}"#)).await);
    }
    for api in both.each() {
        let (mut page, mut count) = (PageQuery { limit: 2, after: None }, 0);
        loop {
            let part = api.tasks(&TaskFilter::default(), &page).await.unwrap();
            count += part.items.len();
            match part.next {
                Some(next) => page.after = Some(next),
                None => break,
            }
        }
        assert_eq!(count, 5);
    }
}

async fn the_only_task(api: &dyn Api) -> TaskId {
    let page = api.tasks(&TaskFilter::default(), &PageQuery::default()).await.unwrap();
    page.items[0].id
}

/// D10, D16: control of a task, many tasks, a queue and a breaker, and invalid requests.
#[tokio::test]
async fn control_responses_are_equal() {
    let both = both().await;
    same!(both, api => api.submit(new(r#"{"kind": "k", "payload": 1, "run_at": "2h"}"#)).await);
    for expiry in [Some(When::After(Duration::from_secs(60))), Some(When::Now), None] {
        same!(both, api => api.set_expiry(the_only_task(api).await, expiry).await);
    }
    let ran = same!(both, api => api.run_now(the_only_task(api).await).await);
    assert_eq!(ran["response"]["status"], "pending");
    same!(both, api => api.requeue(the_only_task(api).await, RequeueOne::default()).await);
    same!(both, api => api.cancel(the_only_task(api).await).await);
    same!(both, api => api.cancel(the_only_task(api).await).await);
    same!(both, api => api.requeue(the_only_task(api).await, RequeueOne { fresh: false, keep_time: true }).await);
    same!(both, api => api.cancel(the_only_task(api).await).await);
    for many in [
        json!({}),
        json!({"filter": {"status": "cancelled"}, "rate": 0}),
        json!({"filter": {"status": "cancelled"}, "rate": 2, "dry_run": true}),
        json!({"filter": {"status": "cancelled"}, "limit": 1, "fresh": false}),
        json!({"all": true}),
    ] {
        let many: RequeueMany = serde_json::from_value(many).unwrap();
        same!(both, api => api.requeue_all(&many).await);
    }
    same!(both, api => api.pause("mail & more/a?", false).await);
    same!(both, api => api.pause("mail & more/a?", true).await);
    same!(both, api => api.queues().await);
    same!(both, api => api.resume("mail & more/a?").await);
    same!(both, api => api.pause("tab\there", true).await);
    for command in [BreakerCommand::Open, BreakerCommand::Isolate, BreakerCommand::Close] {
        same!(both, api => api.override_breaker("calls", command).await);
        same!(both, api => api.breakers().await);
        same!(both, api => api.budgets().await);
    }
    let [local, remote] = both.each();
    let actions = audited_actions(local).await;
    assert_eq!(actions, audited_actions(remote).await);
    assert!(actions.len() >= 8, "{actions:?}");
}

/// The control actions in the audit log. A server audits reads and submits as well.
async fn audited_actions(api: &dyn Api) -> Vec<String> {
    let page = api.audit(&AuditFilter::default(), &PageQuery::default()).await.unwrap();
    let actions = page.items.into_iter().map(|entry| entry.action);
    let control = ["cancel", "expiry", "requeue", "run_now", "pause", "resume"];
    let is_control = |action: &String| {
        let (target, verb) = action.split_once('.').unwrap();
        target == "breaker" || control.contains(&verb)
    };
    actions.filter(is_control).collect()
}

/// D19: claims, heartbeats, completions, failures, and stale fencing tokens.
#[tokio::test]
async fn claim_responses_are_equal() {
    let both = both().await;
    for _ in 0..3 {
        let task = r#"{"kind": "k", "payload": {"z": 1.10, "a": []}, "policy": "twice"}"#;
        same!(both, api => api.submit(new(task)).await);
    }
    same!(both, api => api.claim(&claim(0)).await);
    for api in both.each() {
        let claims = api.claim(&claim(2)).await.unwrap().claims;
        assert_eq!(claims[0].task.payload.get(), r#"{"z": 1.10, "a": []}"#);
        let [done, failed] = claims.try_into().unwrap();
        let lease = Duration::from_secs(30);
        api.heartbeat(done.id, HeartbeatRequest { fencing_token: done.fencing_token, lease })
            .await
            .unwrap();
        let result = to_raw_value(&json!({"n": 1})).ok();
        let completion = Completion { fencing_token: done.fencing_token, result };
        api.complete(done.id, completion.clone()).await.unwrap();
        let stale = api.complete(done.id, completion).await.unwrap_err();
        assert_eq!((stale.status, stale.field.as_deref()), (409, Some("fencing_token")));
        let fault = Fault::http(503).with_message("busy");
        let failure = AttemptFailure::new(failed.fencing_token, fault);
        let response = api.fail(failed.id, failure).await.unwrap();
        assert_eq!((response.status, response.next_delay), (Status::Pending, Some(Duration::ZERO)));
        let mut session = api.task_session(done.id).await.unwrap();
        assert_eq!(session.final_result.take(), Some(json!({"n": 1})));
        let listed = api.sessions(&SessionFilter::default(), &PageQuery::default()).await.unwrap();
        assert_eq!(listed.items, [session]);
    }
    let workers = same!(both, api => reported_workers(api).await);
    let expected = json!({"name": "w1", "running": 0, "silent": false});
    for (field, value) in expected.as_object().unwrap() {
        assert_eq!(&workers["response"][0][field], value, "{workers}");
    }
    same!(both, api => api.stats().await);
    let tasks = same!(both, api => api.tasks(&TaskFilter::default(), &PageQuery::default()).await);
    assert_eq!(tasks["response"]["items"].as_array().unwrap().len(), 3);
}

/// The workers, once their reports are written, which is in the background.
async fn reported_workers(api: &dyn Api) -> Result<Vec<WorkerView>, ApiError> {
    eventually_some("a worker is reported", async || match api.workers().await {
        Ok(workers) => workers.iter().any(|it| it.seen_at.is_some()).then_some(Ok(workers)),
        Err(error) => Some(Err(error)),
    })
    .await
}

/// J1, P3: policies, plans and classifications.
#[tokio::test]
async fn policy_responses_are_equal() {
    let both = both().await;
    same!(both, api => api.policies().await);
    for name in ["calls", "shop.checkout.timeout", "sql", "cals", "un/known"] {
        same!(both, api => api.plan(name, &PlanQuery { attempts: 3 }).await);
    }
    same!(both, api => api.plan("calls", &PlanQuery { attempts: 0 }).await);
    for request in [
        json!({"fault": {"sqlstate": "40001"}}),
        json!({"fault": {"http_status": 429, "hint": 120}, "policy": "calls"}),
        json!({"fault": {"http_status": 503}, "policy": "cals"}),
    ] {
        let request: ClassifyRequest = serde_json::from_value(request).unwrap();
        same!(both, api => api.classify(request.clone()).await);
    }
}

/// O1: events: none, the latest, those after a number, and more than the limit.
#[tokio::test]
async fn event_responses_are_equal() {
    let both = both().await;
    let task = r#"{"kind": "k", "payload": 1, "policy": "twice"}"#;
    let everything = EventFilter::default();
    same!(both, api => api.events(&everything, EventsFrom::Latest, 20).await);
    for api in both.each() {
        api.submit(new(task)).await.unwrap();
        for _ in 0..2 {
            let claimed = api.claim(&claim(1)).await.unwrap().claims.remove(0);
            let fault = Fault::http(503);
            let failure = AttemptFailure::new(claimed.fencing_token, fault);
            api.fail(claimed.id, failure).await.unwrap();
        }
        let latest = api.events(&everything, EventsFrom::Latest, 5000).await.unwrap();
        let types: Vec<_> = latest.items.iter().map(|it| it.event.event_type.name()).collect();
        assert_eq!(types, ["retry_attempt", "retry_failure"]);
        let rest = api.events(&everything, EventsFrom::After(latest.items[0].number), 5).await;
        assert_eq!(rest.unwrap().items, latest.items[1..]);
        let filter = EventFilter { policy: Some("calls".to_owned()), ..EventFilter::default() };
        assert!(api.events(&filter, EventsFrom::Latest, 5).await.unwrap().items.is_empty());
    }
}
