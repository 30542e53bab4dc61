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

/// Claims these tasks as this worker, and lets the lease expire.
async fn lose_worker(store: &Harness, worker: &str, tasks: Vec<Task>) -> Vec<Claimed> {
    let count = tasks.len();
    store.submit_all(tasks).await.unwrap();
    let request = ClaimRequest::new(worker, 1000);
    let claims = store.claim(&request).await.unwrap();
    assert_eq!(claims.tasks.len(), count);
    store.expire_leases().await;
    claims.tasks
}

async fn reclaim_expired(store: &Harness) -> Vec<(Claimed, String)> {
    store.reclaim_expired("reclaimer", 1000).await.unwrap()
}

/// D7: under a new lease, with the name of the lost worker.
async fn tasks_of_a_lost_worker_are_reclaimed(store: &Harness) {
    let lost = lose_worker(store, "w1", tasks(3)).await;
    let reclaimed = reclaim_expired(store).await;
    let ids = |tasks: Vec<TaskId>| tasks.into_iter().collect::<BTreeSet<_>>();
    assert_eq!(
        ids(reclaimed.iter().map(|(task, _)| task.id).collect()),
        ids(lost.iter().map(|task| task.id).collect())
    );
    assert!(
        reclaimed.iter().all(|(task, by)| by == "w1" && task.fencing_token > lost[0].fencing_token)
    );
    let lease = store.show(lost[0].id).await.lease.unwrap();
    assert_eq!(
        (lease.owner.as_str(), lease.fencing_token),
        ("reclaimer", reclaimed[0].0.fencing_token)
    );
    let left = lease.until.duration_since(store.now().await.unwrap());
    assert!(left.as_secs() <= 5, "the lease for settling is short: {left:?}");
}

/// D7: only expired leases are reclaimed.
async fn tasks_of_a_live_worker_are_not_reclaimed(store: &Harness) {
    lose_worker(store, "w1", tasks(1)).await;
    let live = store.running(task()).await;
    assert!(reclaim_expired(store).await.iter().all(|(task, _)| task.id != live.id));
    assert!(reclaim_expired(store).await.is_empty());
    assert_eq!(store.complete(&live).await, Settled::Accepted);
}

/// D4: the old holder's settlement is stale, the new holder's is accepted.
async fn settlement_after_reclaim_is_rejected(store: &Harness) {
    let lost = lose_worker(store, "w1", tasks(1)).await.remove(0);
    let (reclaimed, _) = reclaim_expired(store).await.remove(0);
    assert_eq!(store.complete(&lost).await, Settled::Stale);
    assert_eq!(store.settle_one(&lost, Verdict::Released).await, Settled::Stale);
    assert_eq!(store.complete(&reclaimed).await, Settled::Accepted);
}

/// D7: the loss is in the history, and the policy says when to retry.
async fn lost_lease_counts_as_an_attempt(store: &Harness) {
    lose_worker(store, "w1", vec![task().under(a_minute_apart())]).await;
    let (reclaimed, by) = reclaim_expired(store).await.remove(0);
    assert_eq!(store.fail(&reclaimed, worker_lost(&by)).await, Settled::Accepted);
    let stored = store.show(reclaimed.id).await;
    assert_eq!((stored.status, stored.attempts), (Status::Scheduled, 1));
    assert_eq!(stored.faults[0].class, Class::UnknownOutcome);
    assert!(stored.faults[0].message.contains("`w1` was lost"), "{}", stored.faults[0].message);
}

/// D7: no endless loop.
async fn task_that_kills_its_workers_fails(store: &Harness) {
    let id = store.put(task().under(at_once())).await;
    for worker in ["w1", "w2", "w3"] {
        store.claim(&ClaimRequest::new(worker, 1)).await.unwrap();
        store.expire_leases().await;
        let (reclaimed, by) = reclaim_expired(store).await.remove(0);
        store.fail(&reclaimed, worker_lost(&by)).await;
    }
    let stored = store.show(id).await;
    assert_eq!((stored.status, stored.reason), (Status::Failed, Some(Reason::AttemptsExhausted)));
    assert_eq!((stored.attempts, stored.faults.len()), (3, 3));
}

/// J9: the lost attempt may have taken effect.
async fn unsafe_task_fails_with_its_worker(store: &Harness) {
    let once = Policy::immediate().idempotent(false).build().unwrap();
    lose_worker(store, "w1", vec![task().under(once)]).await;
    let (reclaimed, by) = reclaim_expired(store).await.remove(0);
    store.fail(&reclaimed, worker_lost(&by)).await;
    let stored = store.show(reclaimed.id).await;
    assert_eq!((stored.status, stored.reason), (Status::Failed, Some(Reason::NotSafeToRetry)));
}

/// D4: a settlement before the loss remains valid.
async fn settled_task_is_not_reclaimed(store: &Harness) {
    let lost = lose_worker(store, "w1", tasks(4)).await;
    store.complete(&lost[0]).await;
    store.settle_one(&lost[1], Verdict::Released).await;
    store.settle_one(&lost[2], Verdict::Postponed { delay: secs(60) }).await;
    let reclaimed = reclaim_expired(store).await;
    assert_eq!(reclaimed.len(), 1);
    assert_eq!(reclaimed[0].0.id, lost[3].id);
}

/// D10: nor is a task that an operator has cancelled meanwhile.
async fn cancelled_task_is_not_reclaimed(store: &Harness) {
    let lost = lose_worker(store, "w1", tasks(2)).await;
    store.cancel(lost[0].id, &operator()).await.unwrap();
    let reclaimed = reclaim_expired(store).await;
    assert_eq!(reclaimed.len(), 1);
    assert_eq!(reclaimed[0].0.id, lost[1].id);
}

/// D7: if the reclaiming worker is lost as well, the history still names the first one.
async fn first_lost_worker_is_named(store: &Harness) {
    lose_worker(store, "w1", tasks(1)).await;
    let (first, _) = reclaim_expired(store).await.remove(0);
    store.expire_leases().await;
    let (second, by) = store.reclaim_expired("other-reclaimer", 10).await.unwrap().remove(0);
    assert_eq!(by, "w1");
    assert!(second.fencing_token > first.fencing_token);
    assert_eq!(store.complete(&first).await, Settled::Stale);
    store.fail(&second, gone()).await;
    assert_eq!(store.status(second.id).await, Status::Failed);
}

/// D7: one call does not reclaim a thousand tasks, and none is missed or reclaimed twice.
async fn reclaim_respects_its_limit(store: &Harness) {
    lose_worker(store, "w1", tasks(7)).await;
    lose_worker(store, "w2", tasks(3)).await;
    assert!(store.reclaim_expired("reclaimer", 0).await.unwrap().is_empty());
    let mut all = BTreeSet::new();
    loop {
        let batch = store.reclaim_expired("reclaimer", 4).await.unwrap();
        assert!(batch.len() <= 4, "{} are more than 4", batch.len());
        if batch.is_empty() {
            break;
        }
        for (task, _) in &batch {
            assert!(all.insert(task.id), "{} was reclaimed twice", task.id);
        }
        assert_eq!(store.complete(&batch[0].0).await, Settled::Accepted);
    }
    assert_eq!(all.len(), 10);
}

/// D7: every instance tries, one succeeds.
async fn expired_lease_is_reclaimed_once(store: &Harness) {
    lose_worker(store, "w1", tasks(5)).await;
    let (here, there) = (steadfast_store::Store::clone(store), store.another().await);
    let (one, two) =
        tokio::join!(here.reclaim_expired("f1", 100), there.reclaim_expired("f2", 100));
    assert_eq!(one.unwrap().len() + two.unwrap().len(), 5);
}

/// D7: nor does it change anything.
async fn reclaim_without_expired_leases_is_empty(store: &Harness) {
    assert!(reclaim_expired(store).await.is_empty());
    store.put(task()).await;
    assert!(reclaim_expired(store).await.is_empty());
}
