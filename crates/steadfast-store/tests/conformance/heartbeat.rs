//! Heartbeats (D7).

use steadfast_store::{Claimed, FencingToken, Heartbeat, Settled, TaskId, Verdict};

use crate::harness::*;

cases![
    heartbeat_extends_a_lease,
    heartbeat_never_shortens_a_lease,
    heartbeat_prevents_reclaim,
    heartbeat_revives_an_expired_lease,
    heartbeat_reports_lost_leases,
    heartbeat_reports_cancelled_tasks,
    heartbeat_reports_settled_tasks,
    lease_lasts_until_its_last_task_is_settled,
    empty_heartbeat_is_empty,
];

async fn send_heartbeat(store: &Harness, task: &Claimed) -> Heartbeat {
    store.heartbeat(&[task.fencing_token], &[task.id], secs(60)).await.unwrap()
}

/// D7: the lease counts from the heartbeat, by the store's clock.
async fn heartbeat_extends_a_lease(store: &Harness) {
    let task = store.running(task()).await;
    let before = store.now().await.unwrap();
    assert_eq!(store.heartbeat(&[task.fencing_token], &[], secs(7200)).await.unwrap().lost, []);
    let until = store.show(task.id).await.lease.unwrap().until;
    assert!((before + secs(7200)..=store.now().await.unwrap() + secs(7200)).contains(&until));
}

/// D7: one task's heartbeat may request less than the other tasks of its batch need.
async fn heartbeat_never_shortens_a_lease(store: &Harness) {
    let task = store.running(task()).await;
    let until = store.show(task.id).await.lease.unwrap().until;
    assert_eq!(store.heartbeat(&[task.fencing_token], &[task.id], secs(1)).await.unwrap().lost, []);
    assert_eq!(store.show(task.id).await.lease.unwrap().until, until);
}

/// D7: a worker that sends heartbeats is not lost.
async fn heartbeat_prevents_reclaim(store: &Harness) {
    let task = store.running(task()).await;
    send_heartbeat(store, &task).await;
    assert!(store.reclaim_expired("w2", 10).await.unwrap().is_empty());
    assert_eq!(store.complete(&task).await, Settled::Accepted);
}

/// D7: a late worker whose tasks are not reclaimed yet continues.
async fn heartbeat_revives_an_expired_lease(store: &Harness) {
    let task = store.running(task()).await;
    store.expire_leases().await;
    let found = send_heartbeat(store, &task).await;
    assert_eq!((found.lost.as_slice(), found.ended.as_slice()), (&[][..], &[][..]));
    assert!(store.reclaim_expired("w2", 10).await.unwrap().is_empty());
    assert_eq!(store.complete(&task).await, Settled::Accepted);
}

/// D7: a worker learns that its tasks belong to other workers now.
async fn heartbeat_reports_lost_leases(store: &Harness) {
    let lost = store.running(task()).await;
    store.expire_leases().await;
    store.reclaim_expired("w2", 10).await.unwrap();
    let stored = store.running(task()).await;
    let leases = [stored.fencing_token, lost.fencing_token, FencingToken(i64::MAX)];
    let found = store.heartbeat(&leases, &[stored.id, lost.id], secs(60)).await.unwrap();
    assert_eq!(found.lost, [lost.fencing_token, FencingToken(i64::MAX)]);
    assert_eq!(found.ended, [lost.id]);
}

/// D10: the worker of a cancelled task is notified with its next heartbeat at the latest.
async fn heartbeat_reports_cancelled_tasks(store: &Harness) {
    let ids = store.put_many(3).await;
    let claimed = store.claim_batch(3).await;
    store.cancel(ids[1], &operator()).await.unwrap();
    let found = store.heartbeat(&[claimed[0].fencing_token], &ids, secs(60)).await.unwrap();
    assert_eq!((found.ended.as_slice(), found.lost.as_slice()), (&ids[1..2], &[][..]));
}

/// D4: whatever the outcome.
async fn heartbeat_reports_settled_tasks(store: &Harness) {
    let ids = store.put_many(4).await;
    let claimed = store.claim_batch(4).await;
    store.complete(&claimed[0]).await;
    store.settle_one(&claimed[1], Verdict::Released).await;
    store.fail(&claimed[2], gone()).await;
    let found = store.heartbeat(&[claimed[0].fencing_token], &ids, secs(60)).await.unwrap();
    assert_eq!((found.ended.as_slice(), found.lost.as_slice()), (&ids[..3], &[][..]));
}

/// D7: a lease without tasks is not extended.
async fn lease_lasts_until_its_last_task_is_settled(store: &Harness) {
    store.put_many(2).await;
    let claimed = store.claim_batch(2).await;
    store.complete(&claimed[0]).await;
    assert_eq!(send_heartbeat(store, &claimed[1]).await.lost, []);
    store.cancel(claimed[1].id, &operator()).await.unwrap();
    assert_eq!(send_heartbeat(store, &claimed[1]).await.lost, [claimed[1].fencing_token]);
}

/// K4: an empty request gets an empty response; a missing task is reported as ended.
async fn empty_heartbeat_is_empty(store: &Harness) {
    assert_eq!(store.heartbeat(&[], &[], secs(60)).await.unwrap(), Heartbeat::default());
    let missing = TaskId::fresh();
    let found = store.heartbeat(&[], &[missing], secs(60)).await.unwrap();
    assert_eq!(found.ended, [missing]);
}
