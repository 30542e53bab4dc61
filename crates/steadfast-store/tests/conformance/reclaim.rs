//! Reclaiming expired leases of lost workers (D7).

use std::collections::BTreeSet;

use steadfast::{Class, Policy, Reason};
use steadfast_store::{ClaimRequest, Claimed, Settled, Status, Task, TaskId, Verdict, worker_lost};

use crate::harness::*;

cases![
    tasks_of_a_lost_worker_are_reclaimed,
    tasks_of_a_live_worker_are_not_reclaimed,
    settlement_after_reclaim_is_rejected,
    lost_lease_counts_as_an_attempt,
    task_that_kills_its_workers_fails,
    unsafe_task_fails_with_its_worker,
    settled_task_is_not_reclaimed,
    cancelled_task_is_not_reclaimed,
    first_lost_worker_is_named,
    reclaim_respects_its_limit,
    expired_lease_is_reclaimed_once,
    reclaim_without_expired_leases_is_empty,
];

/// Loses what it holds, as a worker of this name.
async fn lose(store: &Harness, worker: &str, tasks: Vec<Task>) -> Vec<Claimed> {
    let count = tasks.len();
    store.submit_all(tasks).await.unwrap();
    let request = ClaimRequest::new(worker, 1000);
    let claims = store.claim(&request).await.unwrap();
    assert_eq!(claims.tasks.len(), count);
    store.expire_leases().await;
    claims.tasks
}

async fn reclaim_expired(store: &Harness) -> Vec<(Claimed, String)> {
    store.reclaim_expired("finder", 1000).await.unwrap()
}

/// D7: under a new lease, with the name of who lost them.
async fn tasks_of_a_lost_worker_are_reclaimed(store: &Harness) {
    let lost = lose(store, "w1", tasks(3)).await;
    let seized = reclaim_expired(store).await;
    let ids = |tasks: Vec<TaskId>| tasks.into_iter().collect::<BTreeSet<_>>();
    assert_eq!(
        ids(seized.iter().map(|(task, _)| task.id).collect()),
        ids(lost.iter().map(|task| task.id).collect())
    );
    assert!(
        seized.iter().all(|(task, by)| by == "w1" && task.fencing_token > lost[0].fencing_token)
    );
    let lease = store.show(lost[0].id).await.lease.unwrap();
    assert_eq!((lease.owner.as_str(), lease.fencing_token), ("finder", seized[0].0.fencing_token));
    let left = lease.until.duration_since(store.now().await.unwrap());
    assert!(left.as_secs() <= 5, "seconds to settle it, or another must: {left:?}");
}

/// D7: only an expired lease is a lost one.
async fn tasks_of_a_live_worker_are_not_reclaimed(store: &Harness) {
    lose(store, "w1", tasks(1)).await;
    let living = store.running(task()).await;
    assert!(reclaim_expired(store).await.iter().all(|(task, _)| task.id != living.id));
    assert!(reclaim_expired(store).await.is_empty());
    assert_eq!(store.complete(&living).await, Settled::Accepted);
}

/// D4: the old holder's word is stale, the new one's holds.
async fn settlement_after_reclaim_is_rejected(store: &Harness) {
    let lost = lose(store, "w1", tasks(1)).await.remove(0);
    let (seized, _) = reclaim_expired(store).await.remove(0);
    assert_eq!(store.complete(&lost).await, Settled::Stale);
    assert_eq!(store.settle_one(&lost, Verdict::Released).await, Settled::Stale);
    assert_eq!(store.complete(&seized).await, Settled::Accepted);
}

/// D7: the loss is in the history, and the policy says when it is tried again.
async fn lost_lease_counts_as_an_attempt(store: &Harness) {
    lose(store, "w1", vec![task().under(a_minute_apart())]).await;
    let (seized, by) = reclaim_expired(store).await.remove(0);
    assert_eq!(store.fail(&seized, worker_lost(&by)).await, Settled::Accepted);
    let kept = store.show(seized.id).await;
    assert_eq!((kept.status, kept.attempts), (Status::Scheduled, 1));
    assert_eq!(kept.faults[0].class, Class::UnknownOutcome);
    assert!(kept.faults[0].message.contains("`w1` was lost"), "{}", kept.faults[0].message);
}

/// D7: no endless loop.
async fn task_that_kills_its_workers_fails(store: &Harness) {
    let id = store.put(task().under(at_once())).await;
    for worker in ["w1", "w2", "w3"] {
        store.claim(&ClaimRequest::new(worker, 1)).await.unwrap();
        store.expire_leases().await;
        let (seized, by) = reclaim_expired(store).await.remove(0);
        store.fail(&seized, worker_lost(&by)).await;
    }
    let kept = store.show(id).await;
    assert_eq!((kept.status, kept.reason), (Status::Failed, Some(Reason::AttemptsExhausted)));
    assert_eq!((kept.attempts, kept.faults.len()), (3, 3));
}

/// J9: the lost attempt may have taken effect.
async fn unsafe_task_fails_with_its_worker(store: &Harness) {
    let once = Policy::immediate().idempotent(false).build().unwrap();
    lose(store, "w1", vec![task().under(once)]).await;
    let (seized, by) = reclaim_expired(store).await.remove(0);
    store.fail(&seized, worker_lost(&by)).await;
    let kept = store.show(seized.id).await;
    assert_eq!((kept.status, kept.reason), (Status::Failed, Some(Reason::NotSafeToRetry)));
}

/// D4: what a worker had its last word on before it was lost stands.
async fn settled_task_is_not_reclaimed(store: &Harness) {
    let lost = lose(store, "w1", tasks(4)).await;
    store.complete(&lost[0]).await;
    store.settle_one(&lost[1], Verdict::Released).await;
    store.settle_one(&lost[2], Verdict::Postponed { delay: secs(60) }).await;
    let seized = reclaim_expired(store).await;
    assert_eq!(seized.len(), 1);
    assert_eq!(seized[0].0.id, lost[3].id);
}

/// D10: nor is what somebody has ended meanwhile.
async fn cancelled_task_is_not_reclaimed(store: &Harness) {
    let lost = lose(store, "w1", tasks(2)).await;
    store.cancel(lost[0].id, &somebody()).await.unwrap();
    let seized = reclaim_expired(store).await;
    assert_eq!(seized.len(), 1);
    assert_eq!(seized[0].0.id, lost[1].id);
}

/// D7: if the finder is lost as well, the history still tells who lost the task.
async fn first_lost_worker_is_named(store: &Harness) {
    lose(store, "w1", tasks(1)).await;
    let (first, _) = reclaim_expired(store).await.remove(0);
    store.expire_leases().await;
    let (second, by) = store.reclaim_expired("other-finder", 10).await.unwrap().remove(0);
    assert_eq!(by, "w1");
    assert!(second.fencing_token > first.fencing_token);
    assert_eq!(store.complete(&first).await, Settled::Stale);
    store.fail(&second, gone()).await;
    assert_eq!(store.status(second.id).await, Status::Failed);
}

/// D7: a thousand lost tasks are not one finder's, and none is forgotten or taken twice.
async fn reclaim_respects_its_limit(store: &Harness) {
    lose(store, "w1", tasks(7)).await;
    lose(store, "w2", tasks(3)).await;
    assert!(store.reclaim_expired("finder", 0).await.unwrap().is_empty());
    let mut all = BTreeSet::new();
    loop {
        let piece = store.reclaim_expired("finder", 4).await.unwrap();
        assert!(piece.len() <= 4, "{} are more than 4", piece.len());
        if piece.is_empty() {
            break;
        }
        for (task, _) in &piece {
            assert!(all.insert(task.id), "{} was taken twice", task.id);
        }
        assert_eq!(store.complete(&piece[0].0).await, Settled::Accepted);
    }
    assert_eq!(all.len(), 10);
}

/// D7: every instance looks, one finds.
async fn expired_lease_is_reclaimed_once(store: &Harness) {
    lose(store, "w1", tasks(5)).await;
    let (here, there) = (steadfast_store::Store::clone(store), store.another().await);
    let (one, two) =
        tokio::join!(here.reclaim_expired("f1", 100), there.reclaim_expired("f2", 100));
    assert_eq!(one.unwrap().len() + two.unwrap().len(), 5);
}

/// D7: looking costs nothing but the look.
async fn reclaim_without_expired_leases_is_empty(store: &Harness) {
    assert!(reclaim_expired(store).await.is_empty());
    store.put(task()).await;
    assert!(reclaim_expired(store).await.is_empty());
}
