//! Cancelled claims, and quarantined tasks.

use std::pin::Pin;
use std::task::{Context, Waker};

use steadfast_store::{ClaimRequest, Claimed, Status, Store};

use crate::{Fixture, task, with_store};

impl Fixture {
    async fn claim(&self, limit: u32) -> Vec<Claimed> {
        self.store.claim(&ClaimRequest::new("worker", limit)).await.unwrap().tasks
    }
}

/// Polls the future once, without waiting for it.
fn poll_once<F: Future>(future: F) -> Pin<Box<F>> {
    let mut future = Box::pin(future);
    assert!(future.as_mut().poll(&mut Context::from_waker(Waker::noop())).is_pending());
    future
}

/// Polls until the condition holds, for at most 20 seconds.
async fn until(condition: &str, mut holds: impl AsyncFnMut() -> bool) {
    let poll = async {
        while !holds().await {
            tokio::task::yield_now().await;
        }
    };
    let in_time = tokio::time::timeout(std::time::Duration::from_secs(20), poll).await;
    assert!(in_time.is_ok(), "not within 20 s: {condition}");
}

/// D4: a claim whose caller is gone holds no task, however far it got.
#[test]
fn unreceived_claim_is_released() {
    with_store(async |fixture| {
        let id = fixture.store.submit(task(1)).await.unwrap().id;
        let status = async || fixture.store.task(id).await.unwrap().status;
        let claiming = poll_once(fixture.claim(1));
        until("the task is claimed", async || status().await != Status::Pending).await;
        drop(claiming);
        until("the claim is released", async || status().await != Status::Running).await;
        let claimed = fixture.claim(1).await;
        assert_eq!((claimed[0].id, claimed[0].progress.attempts), (id, 0));
    });
}

/// D4: nor does one whose caller is gone before the statement returns.
#[test]
fn cancelled_claim_holds_no_task() {
    with_store(async |fixture| {
        fixture.store.submit(task(1)).await.unwrap();
        drop(poll_once(fixture.claim(1)));
        until("the claim is released", async || !fixture.claim(1).await.is_empty()).await;
    });
}

/// D4: a task whose policy this version cannot decode is left for a newer one, and the rest of its
/// batch is claimed.
#[test]
fn task_that_cannot_be_decoded_is_quarantined() {
    with_store(async |mut fixture| {
        let undecodable = fixture.store.submit(task(1).policy("patient")).await.unwrap().id;
        let valid = fixture.store.submit(task(2)).await.unwrap().id;
        let changed = "UPDATE steadfast.policies SET body = '{\"v\": 99}' WHERE id = \
                       (SELECT policy FROM steadfast.tasks WHERE payload = '1')";
        sqlx::query(changed).execute(&mut fixture.connection).await.unwrap();
        // A store that has read the policy before the change has it cached.
        let fresh = Store::open(&fixture.url).await.unwrap();
        let claims = fresh.claim(&ClaimRequest::new("fresh", 10)).await.unwrap();
        assert_eq!(claims.tasks.iter().map(|task| task.id).collect::<Vec<_>>(), [valid]);
        let left = fixture.store.task(undecodable).await.unwrap();
        assert_eq!((left.status, left.attempts), (Status::Scheduled, 0));
    });
}
