//! Concurrent operations (D4, D5): nothing is lost or done twice.

use std::collections::BTreeSet;
use std::sync::Arc;

use steadfast_store::{
    ClaimRequest, Filter, Settled, Settlement, Status, Store, StoreError, TaskId, Verdict,
};
use tokio::task::JoinSet;

use crate::harness::*;

cases![
    concurrent_claims_share_no_task,
    concurrent_claims_get_every_task,
    one_of_concurrent_settlements_is_accepted,
    concurrent_completion_and_cancel_exclude_each_other,
    concurrent_completion_and_reclaim_exclude_each_other,
    one_of_concurrent_requeues_succeeds,
    concurrent_completions_of_one_lease_add_up,
    concurrent_cancel_and_completions_add_up,
    concurrent_compression_keeps_the_history,
    settlements_and_heartbeats_do_not_deadlock,
    settlements_of_crossed_leases_do_not_deadlock,
    rate_limits_of_crossed_categories_do_not_deadlock,
    batches_with_crossed_keys_do_not_deadlock,
    prune_and_compress_do_not_affect_running_tasks,
];

/// Store handles, alternating between two processes.
async fn handles(store: &Harness, count: usize) -> Vec<Store> {
    let other = store.another().await;
    (0..count).map(|n| Store::clone(if n % 2 == 0 { store } else { &other })).collect()
}

async fn claim(store: &Store, limit: u32) -> Vec<steadfast_store::Claimed> {
    store.claim(&ClaimRequest::new("w1", limit)).await.unwrap().tasks
}

/// D4: never two holders.
async fn concurrent_claims_share_no_task(store: &Harness) {
    store.put_many(400).await;
    let mut claimers = JoinSet::new();
    for handle in handles(store, 8).await {
        claimers.spawn(async move {
            let mut mine = Vec::new();
            loop {
                let batch = claim(&handle, 7).await;
                if batch.is_empty() {
                    return mine;
                }
                mine.extend(batch.iter().map(|task| task.id));
            }
        });
    }
    let claimed = claimers.join_all().await.concat();
    assert_eq!(claimed.len(), 400);
    assert_eq!(claimed.into_iter().collect::<BTreeSet<_>>().len(), 400);
}

/// D5: no task is missed, in whatever order the operations run.
async fn concurrent_claims_get_every_task(store: &Harness) {
    let mut work = JoinSet::new();
    for (number, handle) in handles(store, 8).await.into_iter().enumerate() {
        work.spawn(async move {
            let mut done = 0;
            for _ in 0..10 {
                if number % 2 == 0 {
                    handle.submit_all(tasks(10)).await.unwrap();
                }
                let batch = claim(&handle, 20).await;
                let batch = batch.iter().map(|task| settlement(task, DONE)).collect();
                let settled = handle.settle(batch).await.unwrap();
                assert!(settled.iter().all(|one| *one == Settled::Accepted));
                done += settled.len();
            }
            done
        });
    }
    let mut done: usize = work.join_all().await.iter().sum();
    done += claim(store, 1000).await.len();
    assert_eq!(done, 400);
}

/// D4: the same settlement, repeated while the first is in flight.
async fn one_of_concurrent_settlements_is_accepted(store: &Harness) {
    for _ in 0..5 {
        let task = Arc::new(store.running(task().under(at_once())).await);
        let retry = store.verdict(&task, unavailable()).await;
        let mut settling = JoinSet::new();
        for (number, handle) in handles(store, 6).await.into_iter().enumerate() {
            let (task, retry) = (task.clone(), retry.clone());
            settling.spawn(async move {
                let verdict = if number % 2 == 0 { DONE } else { retry };
                handle.settle(vec![settlement(&task, verdict)]).await.unwrap()[0]
            });
        }
        let settled = settling.join_all().await;
        assert_eq!(settled.iter().filter(|one| **one == Settled::Accepted).count(), 1);
        store.cancel(task.id, &operator()).await.ok();
    }
}

/// D10: the later of the two is rejected.
async fn concurrent_completion_and_cancel_exclude_each_other(store: &Harness) {
    let other = store.another().await;
    for _ in 0..20 {
        let task = store.running(task()).await;
        let by = operator();
        let (settled, cancelled) = tokio::join!(store.complete(&task), other.cancel(task.id, &by));
        let status = store.status(task.id).await;
        match (settled, cancelled) {
            (Settled::Accepted, Err(StoreError::WrongStatus { .. })) => {
                assert_eq!(status, Status::Completed);
            }
            (Settled::Stale, Ok(())) => assert_eq!(status, Status::Cancelled),
            both => panic!("{both:?}"),
        }
    }
}

/// D7: a late worker against an early reclaim.
async fn concurrent_completion_and_reclaim_exclude_each_other(store: &Harness) {
    let other = store.another().await;
    for _ in 0..20 {
        let task = store.running(task()).await;
        store.expire_leases().await;
        let (settled, reclaimed) =
            tokio::join!(store.complete(&task), other.reclaim_expired("reclaimer", 10));
        let reclaimed = reclaimed.unwrap();
        assert_eq!(settled == Settled::Accepted, reclaimed.is_empty());
        for (task, _) in reclaimed {
            assert_eq!(store.complete(&task).await, Settled::Accepted);
        }
    }
}

/// D10: a task is requeued once.
async fn one_of_concurrent_requeues_succeeds(store: &Harness) {
    let id = store.ended(Status::Failed, task()).await;
    let mut requeues = JoinSet::new();
    for handle in handles(store, 6).await {
        requeues.spawn(async move { handle.requeue(id, true, &operator()).await.is_ok() });
    }
    let done = requeues.join_all().await;
    assert_eq!(done.iter().filter(|done| **done).count(), 1);
    assert_eq!(store.claim_batch(10).await.len(), 1);
}

/// D7: neither waits forever for the other.
async fn settlements_and_heartbeats_do_not_deadlock(store: &Harness) {
    let mut held = Vec::new();
    for _ in 0..6 {
        store.put_many(40).await;
        held.push(store.claim_batch(40).await);
    }
    let tokens: Vec<_> = held.iter().map(|lease| lease[0].fencing_token).collect();
    let reversed: Vec<_> = tokens.iter().rev().copied().collect();
    let sender = Store::clone(store);
    let heartbeats = tokio::spawn(async move {
        for _ in 0..40 {
            sender.heartbeat(&reversed, &[], secs(60)).await.unwrap();
        }
    });
    for slot in 0..40 {
        let batch = held.iter().map(|lease| settlement(&lease[slot], DONE)).collect();
        assert_eq!(store.settle(batch).await.unwrap(), [Settled::Accepted; 6]);
    }
    heartbeats.await.unwrap();
}

/// D5: two batches with different verdicts on the same two leases.
async fn settlements_of_crossed_leases_do_not_deadlock(store: &Harness) {
    let mut settles = JoinSet::new();
    for _ in 0..2 {
        store.put_many(120).await;
    }
    let (one, two) = (store.claim_batch(120).await, store.claim_batch(120).await);
    for (number, (one, two)) in one.chunks(10).zip(two.chunks(10)).enumerate() {
        let (done, back) = if number % 2 == 0 { (one, two) } else { (two, one) };
        let mut batch: Vec<Settlement> = done.iter().map(|task| settlement(task, DONE)).collect();
        batch.extend(back.iter().map(|task| settlement(task, Verdict::Released)));
        let handle = Store::clone(store);
        settles.spawn(async move { handle.settle(batch).await.unwrap() });
    }
    let settled = settles.join_all().await.concat();
    assert!(settled.iter().all(|one| *one == Settled::Accepted));
    let stats = store.stats().await.unwrap();
    assert_eq!((stats.completed, stats.pending, stats.running), (120, 120, 0));
}

/// D17: whichever instance holds which category first.
async fn rate_limits_of_crossed_categories_do_not_deadlock(store: &Harness) {
    let mut settles = JoinSet::new();
    for (number, handle) in handles(store, 8).await.into_iter().enumerate() {
        let categories =
            (0..12).map(|category| if number % 2 == 0 { category } else { 11 - category });
        let batch =
            categories.map(|category| task().category(format!("c{category}")).hold_category());
        store.submit_all(batch.collect()).await.unwrap();
        let mut batch = Vec::new();
        for task in store.claim_batch(12).await {
            let verdict = store.verdict(&task, rate_limited(secs(60))).await;
            batch.push(settlement(&task, verdict));
        }
        settles.spawn(async move { handle.settle(batch).await.unwrap() });
    }
    let settled = settles.join_all().await.concat();
    assert_eq!(settled, vec![Settled::Accepted; settled.len()]);
    assert_eq!(store.claim_batch(100).await.len(), 0);
}

/// D9: submissions of the same tasks in different orders all succeed.
async fn batches_with_crossed_keys_do_not_deadlock(store: &Harness) {
    let mut submissions = JoinSet::new();
    for (number, handle) in handles(store, 8).await.into_iter().enumerate() {
        let mut batch: Vec<_> = (0..1000).map(|key| task().key(format!("k{key:03}"))).collect();
        if number % 2 == 0 {
            batch.reverse();
        }
        submissions.spawn(async move { handle.submit_all(batch).await.unwrap() });
    }
    let answers = submissions.join_all().await.concat();
    assert_eq!(answers.iter().filter(|answer| !answer.existed).count(), 1000);
    assert_eq!(store.stats().await.unwrap().pending, 1000);
}

/// D14: maintenance never blocks claims.
async fn prune_and_compress_do_not_affect_running_tasks(store: &Harness) {
    let maintainer = store.another().await;
    let maintenance = tokio::spawn(async move {
        let mut retention = steadfast_store::Retention::default();
        retention.ended_at_most = Some(5);
        for _ in 0..20 {
            maintainer.compress(secs(0), 50).await.unwrap();
            maintainer.prune(&retention).await.unwrap();
            maintainer.promote(50).await.unwrap();
            maintainer.reclaim_expired("reclaimer", 50).await.unwrap();
        }
    });
    let mut requeued: Vec<TaskId> = Vec::new();
    for _ in 0..20 {
        store.put_many(5).await;
        for task in store.claim_batch(5).await {
            assert_eq!(store.fail(&task, gone()).await, Settled::Accepted);
        }
        let failed = store.ids(&Filter::status(Status::Failed)).await;
        let newest = failed.first().copied().unwrap();
        if store.requeue(newest, true, &operator()).await.is_ok() {
            requeued.push(newest);
        }
    }
    maintenance.await.unwrap();
    assert!(!requeued.is_empty());
}

fn done(task: &steadfast_store::Claimed) -> Settlement {
    let verdict = Verdict::Completed { result: None };
    Settlement { id: task.id, fencing_token: task.fencing_token, verdict }
}

/// D3, D4: concurrent settlements of parts of one lease leave nothing of it that could be reclaimed
/// later.
async fn concurrent_completions_of_one_lease_add_up(store: &Harness) {
    for _ in 0..10 {
        store.put_many(40).await;
        let claimed = claim(store, 40).await;
        let handles = handles(store, 8).await;
        let mut settling = JoinSet::new();
        for (task, handle) in claimed.iter().zip(handles.iter().cycle()) {
            let (handle, settlement) = (handle.clone(), done(task));
            settling.spawn(async move { handle.settle(vec![settlement]).await.unwrap() });
        }
        let settled = settling.join_all().await.concat();
        assert!(settled.iter().all(|one| *one == Settled::Accepted));
        assert_eq!(store.stats().await.unwrap().running, 0);
    }
}

/// D3, D10: the same with a concurrent cancel of one of its tasks.
async fn concurrent_cancel_and_completions_add_up(store: &Harness) {
    let other = store.another().await;
    for _ in 0..20 {
        store.put_many(10).await;
        let claimed = claim(store, 10).await;
        let (first, rest) = claimed.split_first().unwrap();
        let settlements: Vec<Settlement> = rest.iter().map(done).collect();
        let by = steadfast_store::Actor::new("operator");
        let (cancelled, settled) =
            tokio::join!(other.cancel(first.id, &by), store.settle(settlements));
        cancelled.unwrap();
        assert!(settled.unwrap().iter().all(|one| *one == Settled::Accepted));
        assert_eq!(store.stats().await.unwrap().running, 0);
    }
}

/// D8, D14: every worker compresses, and none discards what another has compressed.
async fn concurrent_compression_keeps_the_history(store: &Harness) {
    let mut ids = Vec::new();
    for _ in 0..30 {
        ids.push(store.ended(Status::Failed, task().under(a_minute_apart())).await);
    }
    let mut before = Vec::new();
    for id in &ids {
        before.push(store.show(*id).await.faults.len());
    }
    assert!(before.iter().all(|faults| *faults > 0));
    let mut compressing = JoinSet::new();
    for handle in handles(store, 4).await {
        compressing.spawn(async move { handle.compress(std::time::Duration::ZERO, 100).await });
    }
    assert!(compressing.join_all().await.iter().all(Result::is_ok));
    for (id, faults) in ids.iter().zip(before) {
        assert_eq!(store.show(*id).await.faults.len(), faults);
    }
}
