//! What would become of a task, and what would not (D18).

use steadfast_api::Api;
use steadfast_store::TaskId;

use crate::{new, world};

/// D18: the schedule before it is submitted, under the policy that it would have.
#[tokio::test]
async fn a_task_is_shown_with_its_attempts_before_it_is_submitted() {
    let world = world().await;
    let task = new(r#"{"kind": "k", "payload": 1, "policy": "shop.checkout", "run_at": "2h"}"#);
    let preview = world.api.preview(task.clone()).await.unwrap();
    assert_eq!((preview.policy.id(), preview.next.len()), (Some("calls"), 7));
    assert_eq!(world.api.stats().await.unwrap().pending, 0, "nothing was submitted");
    let kept = world.api.submit(task).await.unwrap().task.next.unwrap();
    let apart = |next: &[steadfast_api::NextAttempt]| {
        next[6].earliest.duration_since(next[0].earliest).as_secs()
    };
    assert_eq!((kept.len(), apart(&kept)), (7, apart(&preview.next)));
}

/// D18: what would start too late is left out, and what cannot be helped says why.
#[tokio::test]
async fn a_task_that_would_not_be_tried_says_so() {
    let world = world().await;
    let late = r#"{"kind": "k", "payload": 1, "run_at": "2h", "expires_at": "1h"}"#;
    let late = world.api.preview(new(late)).await.unwrap();
    assert_eq!((late.next, late.reason), (vec![], None));
    let hopeless = r#"{"kind": "k", "payload": 1, "first_fault": {"http_status": 404}}"#;
    let hopeless = world.api.preview(new(hopeless)).await.unwrap();
    assert_eq!(hopeless.reason.map(|reason| reason.name()), Some("final"));
    assert_eq!(hopeless.next, []);
}

/// D18, P5: as many attempts are promised as are made.
#[tokio::test]
async fn a_task_with_little_time_is_promised_few_attempts() {
    let world = world().await;
    let policy = r#"{"max_attempts": 10, "backoff_type": "fixed", "base_delay": "60s", "max_duration": "90s"}"#;
    let task = new(&format!(r#"{{"kind": "k", "payload": 1, "policy": {policy}}}"#));
    let preview = world.api.preview(task.clone()).await.unwrap();
    assert_eq!((preview.next.len(), preview.and_more), (2, 0));
    let kept = world.api.submit(task).await.unwrap().task;
    assert_eq!((kept.next.unwrap().len(), kept.and_more), (2, Some(0)));
}

/// D9: whoever sends a task twice under one id means one task.
#[tokio::test]
async fn an_id_of_the_senders_own_makes_it_one_task() {
    let world = world().await;
    let id = TaskId::fresh();
    let json = format!(r#"{{"id": "{id}", "kind": "k", "payload": 1}}"#);
    let first = world.api.submit(new(&json)).await.unwrap();
    assert_eq!((first.task.id, first.existed), (id, false));
    assert!(world.api.submit(new(&json)).await.unwrap().existed);
    let old = r#"{"id": "6f2b7c1e-0000-4000-8000-000000000000", "kind": "k", "payload": 1}"#;
    let refused = world.api.submit(new(old)).await.unwrap_err();
    assert_eq!((refused.status, refused.field.as_deref()), (400, Some("id")));
}

/// K4: what a store would refuse can be known without one.
#[test]
fn a_task_can_be_checked_without_a_store() {
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
