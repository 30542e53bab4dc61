//! Preview and validation of tasks (D18).

use steadfast_api::Api;
use steadfast_store::TaskId;

use crate::{new, world};

/// D18: the preview has the attempts that the submitted task has.
#[tokio::test]
async fn preview_has_attempts_of_submitted_task() {
    let world = world().await;
    let task = new(r#"{"kind": "k", "payload": 1, "policy": "shop.checkout", "run_at": "2h"}"#);
    let preview = world.api.preview(task.clone()).await.unwrap();
    assert_eq!((preview.policy.id(), preview.next.len()), (Some("calls"), 7));
    assert_eq!(world.api.stats().await.unwrap().pending, 0, "nothing was submitted");
    let submitted = world.api.submit(task).await.unwrap().task.next.unwrap();
    let apart = |next: &[steadfast_api::NextAttempt]| {
        next[6].earliest.duration_since(next[0].earliest).as_secs()
    };
    assert_eq!((submitted.len(), apart(&submitted)), (7, apart(&preview.next)));
}

/// D18: attempts after the expiry are left out, and a final fault is the reason.
#[tokio::test]
async fn preview_without_attempts_says_why() {
    let world = world().await;
    let late = r#"{"kind": "k", "payload": 1, "run_at": "2h", "expires_at": "1h"}"#;
    let late = world.api.preview(new(late)).await.unwrap();
    assert_eq!((late.next, late.reason), (vec![], None));
    let hopeless = r#"{"kind": "k", "payload": 1, "first_fault": {"http_status": 404}}"#;
    let hopeless = world.api.preview(new(hopeless)).await.unwrap();
    assert_eq!(hopeless.reason.map(|reason| reason.name()), Some("final"));
    assert_eq!(hopeless.next, []);
}

/// D18, P5: attempts that cannot start within max_duration are left out.
#[tokio::test]
async fn preview_respects_max_duration() {
    let world = world().await;
    let policy = r#"{"max_attempts": 10, "backoff_type": "fixed", "base_delay": "60s", "max_duration": "90s"}"#;
    let task = new(&format!(r#"{{"kind": "k", "payload": 1, "policy": {policy}}}"#));
    let preview = world.api.preview(task.clone()).await.unwrap();
    assert_eq!((preview.next.len(), preview.and_more), (2, 0));
    let submitted = world.api.submit(task).await.unwrap().task;
    assert_eq!((submitted.next.unwrap().len(), submitted.and_more), (2, Some(0)));
}

/// D9: a second submit with the same id creates no task.
#[tokio::test]
async fn submit_with_same_id_creates_one_task() {
    let world = world().await;
    let id = TaskId::fresh();
    let json = format!(r#"{{"id": "{id}", "kind": "k", "payload": 1}}"#);
    let first = world.api.submit(new(&json)).await.unwrap();
    assert_eq!((first.task.id, first.existed), (id, false));
    assert!(world.api.submit(new(&json)).await.unwrap().existed);
    let old = r#"{"id": "6f2b7c1e-0000-4000-8000-000000000000", "kind": "k", "payload": 1}"#;
    let rejected = world.api.submit(new(old)).await.unwrap_err();
    assert_eq!((rejected.status, rejected.field.as_deref()), (400, Some("id")));
}

/// K4: a task is validated without a store.
#[test]
fn task_is_validated_without_a_store() {
    let check = |json: &str| new(json).check(None).map_err(|error| error.field.unwrap());
    assert_eq!(check(r#"{"kind": "k", "payload": {}}"#), Ok(()));
    for (json, field) in [
        (r#"{"kind": "", "payload": 1}"#, "kind"),
        (r#"{"kind": "k", "payload": "\u0000"}"#, "payload"),
        (r#"{"kind": "k", "payload": 1, "hold_category": true}"#, "hold_category"),
    ] {
        assert_eq!(check(json), Err(field.to_owned()));
    }
}
