//! Control of tasks and queues (D10, D16, K3).

use std::time::Duration;

use jiff::SignedDuration;
use steadfast_api::{Api, ApiError, AuditFilter, ErrorKind, PageQuery, RequeueMany, RequeueOne};
use steadfast_store::{Status, When};

use crate::{World, world};

const LATER: &str = r#"{"kind": "k", "payload": 1, "run_at": "2h"}"#;
const FAILED: &str = r#"{"kind": "k", "payload": 1, "first_fault": {"http_status": 404}}"#;

fn assert_conflict(rejected: &ApiError) {
    assert_eq!((rejected.kind, rejected.status), (ErrorKind::WrongStatus, 409));
    assert!(rejected.next.is_some(), "{rejected}");
}

/// D10: each action returns the task, and is rejected with advice in a wrong status.
#[tokio::test]
async fn control_action_in_wrong_status_is_rejected() {
    let world = world().await;
    let id = world.submit(LATER).await.id;
    assert_eq!(world.api.run_now(id).await.unwrap().status, Status::Pending);
    assert_conflict(&world.api.requeue(id, RequeueOne::default()).await.unwrap_err());
    assert_eq!(world.api.cancel(id).await.unwrap().status, Status::Cancelled);
    assert_conflict(&world.api.cancel(id).await.unwrap_err());
    assert_conflict(&world.api.run_now(id).await.unwrap_err());
    assert_conflict(&world.api.set_expiry(id, None).await.unwrap_err());
    let again = world.api.requeue(id, RequeueOne::default()).await.unwrap();
    assert_eq!((again.status, again.attempts), (Status::Pending, 0));
}

/// D10: a requeue can undo a cancel.
#[tokio::test]
async fn requeue_can_keep_scheduled_time() {
    let world = world().await;
    let id = world.submit(LATER).await.id;
    let due = world.api.cancel(id).await.unwrap().scheduled_at;
    let options = RequeueOne { fresh: false, keep_time: true };
    let again = world.api.requeue(id, options).await.unwrap();
    assert_eq!((again.status, again.scheduled_at), (Status::Scheduled, due));
}

/// D10: an expiry is a time, a delay by the store's clock, or none.
#[tokio::test]
async fn expiry_can_be_set_and_removed() {
    let world = world().await;
    let id = world.submit(LATER).await.id;
    let now = world.api.now().await.unwrap();
    let hour = When::After(Duration::from_secs(3600));
    let expires = world.api.set_expiry(id, Some(hour)).await.unwrap().expires_at.unwrap();
    assert!((3600..3660).contains(&expires.duration_since(now).as_secs()));
    let at = "2099-01-01T00:00:00Z".parse().unwrap();
    let task = world.api.set_expiry(id, Some(When::At(at))).await.unwrap();
    assert_eq!(task.expires_at, Some(at));
    assert_eq!(world.api.set_expiry(id, None).await.unwrap().expires_at, None);
}

async fn failed(world: &World) -> u64 {
    world.api.stats().await.unwrap().failed
}

/// D16: a dry run counts the tasks and the time, and changes nothing.
#[tokio::test]
async fn bulk_requeue_follows_rate_and_dry_run() {
    let world = world().await;
    for _ in 0..4 {
        world.submit(FAILED).await;
    }
    world.submit(&FAILED.replace("\"k\"", "\"other\"")).await;
    let json = r#"{"filter": {"status": "failed", "kind": "k"}, "rate": 2, "dry_run": true}"#;
    let mut request: RequeueMany = serde_json::from_str(json).unwrap();
    let would = world.api.requeue_all(&request).await.unwrap();
    assert_eq!((would.count, would.over.as_secs(), would.dry_run), (4, 2, true));
    assert_eq!(failed(&world).await, 5);

    request.dry_run = false;
    assert_eq!(world.api.requeue_all(&request).await.unwrap().count, 4);
    assert_eq!(failed(&world).await, 1);

    request.filter.status = Some(Status::Running);
    let rejected = world.api.requeue_all(&request).await.unwrap_err();
    assert_eq!((rejected.status, rejected.field.as_deref()), (400, Some("filter.status")));
    request.filter.status = Some(Status::Failed);

    request.rate = Some(0.0);
    let rejected = world.api.requeue_all(&request).await.unwrap_err();
    assert_eq!((rejected.status, rejected.field.as_deref()), (400, Some("rate")));
}

/// D10, K3: pause, resume and cancel are in the audit log with their actor.
#[tokio::test]
async fn control_actions_are_audited() {
    let world = world().await;
    let id = world.submit(LATER).await.id;
    world.api.pause("default", false).await.unwrap();
    assert!(world.api.queues().await.unwrap()[0].paused);
    world.api.resume("default").await.unwrap();
    assert!(!world.api.queues().await.unwrap()[0].paused);
    world.api.cancel(id).await.unwrap();

    let audited = async |filter: AuditFilter| {
        let page = world.api.audit(&filter, &PageQuery::default()).await.unwrap();
        page.items.into_iter().map(|entry| entry.action).collect::<Vec<_>>()
    };
    let by = |actor: &str| AuditFilter { actor: Some(actor.to_owned()), ..AuditFilter::default() };
    assert_eq!(audited(by("ada")).await, ["task.cancel", "queue.resume", "queue.pause"]);
    assert!(audited(by("bob")).await.is_empty());
    let target = AuditFilter { target: Some(id.to_string()), ..AuditFilter::default() };
    assert_eq!(audited(target).await, ["task.cancel"]);
    let action = Some("queue.pause".to_owned());
    assert_eq!(audited(AuditFilter { action, ..by("ada") }).await, ["queue.pause"]);
    let since = Some(world.api.now().await.unwrap() + SignedDuration::from_secs(60));
    assert!(audited(AuditFilter { since, ..by("ada") }).await.is_empty());
}
