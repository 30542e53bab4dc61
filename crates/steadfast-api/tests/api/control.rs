//! What people do to tasks and queues (D10, D16, K3).

use std::time::Duration;

use jiff::SignedDuration;
use steadfast_api::{Api, ApiError, AuditFilter, ErrorKind, PageQuery, RequeueMany, RequeueOne};
use steadfast_store::{Status, When};

use crate::{World, world};

const LATER: &str = r#"{"kind": "k", "payload": 1, "run_at": "2h"}"#;
const FAILED: &str = r#"{"kind": "k", "payload": 1, "first_fault": {"http_status": 404}}"#;

fn assert_conflict(refused: &ApiError) {
    assert_eq!((refused.kind, refused.status), (ErrorKind::WrongStatus, 409));
    assert!(refused.next.is_some(), "{refused}");
}

/// D10: each says what the task is now, and what cannot be is told with what can.
#[tokio::test]
async fn tasks_are_cancelled_requeued_and_run_now() {
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

/// D10: a task that was called off by mistake goes on as if it had not been.
#[tokio::test]
async fn a_requeued_task_can_keep_its_time() {
    let world = world().await;
    let id = world.submit(LATER).await.id;
    let due = world.api.cancel(id).await.unwrap().scheduled_at;
    let how = RequeueOne { fresh: false, keep_time: true };
    let again = world.api.requeue(id, how).await.unwrap();
    assert_eq!((again.status, again.scheduled_at), (Status::Scheduled, due));
}

/// D10: an expiry is a time, so long from now by the store's clock, or none.
#[tokio::test]
async fn an_expiry_can_be_changed_and_taken_back() {
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

/// D16: a dry run says how many and over how long, and changes nothing.
#[tokio::test]
async fn many_are_requeued_at_a_rate_after_a_dry_run() {
    let world = world().await;
    for _ in 0..4 {
        world.submit(FAILED).await;
    }
    world.submit(&FAILED.replace("\"k\"", "\"other\"")).await;
    let json = r#"{"filter": {"status": "failed", "kind": "k"}, "rate": 2, "dry_run": true}"#;
    let mut which: RequeueMany = serde_json::from_str(json).unwrap();
    let would = world.api.requeue_all(&which).await.unwrap();
    assert_eq!((would.count, would.over.as_secs(), would.dry_run), (4, 2, true));
    assert_eq!(failed(&world).await, 5);

    which.dry_run = false;
    assert_eq!(world.api.requeue_all(&which).await.unwrap().count, 4);
    assert_eq!(failed(&world).await, 1);

    which.filter.status = Some(Status::Running);
    let refused = world.api.requeue_all(&which).await.unwrap_err();
    assert_eq!((refused.status, refused.field.as_deref()), (400, Some("filter.status")));
    which.filter.status = Some(Status::Failed);

    which.rate = Some(0.0);
    let refused = world.api.requeue_all(&which).await.unwrap_err();
    assert_eq!((refused.status, refused.field.as_deref()), (400, Some("rate")));
}

/// D10, K3: a queue is paused and resumed, and the log says by whom.
#[tokio::test]
async fn what_is_done_is_audited() {
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
