//! The completion feed of a store.

use std::collections::HashSet;
use std::future::{Future as _, poll_fn};
use std::pin::pin;
use std::task::Poll;

use steadfast_store::{Settled, Status};

use crate::harness::{DONE, Harness, a_minute_apart, settlement, task, unavailable};

/// D11: every completion is published, retries are not, and a new subscriber gets no earlier ones.
async fn subscriber_receives_ended_tasks(store: &Harness) {
    store.ended(Status::Completed, task()).await;
    let mut ends = store.subscribe_completions();
    assert_eq!(ends.drain(), []);
    let mut expected = HashSet::new();
    for status in [Status::Completed, Status::Failed, Status::Cancelled] {
        expected.insert(store.ended(status, task()).await);
    }
    let retried = store.running(task().under(a_minute_apart())).await;
    assert_eq!(store.fail(&retried, unavailable()).await, Settled::Accepted);
    assert_eq!(ends.next().await.into_iter().collect::<HashSet<_>>(), expected);
    assert_eq!(ends.drain(), []);
}

/// D4: a stale settlement ends nothing.
async fn stale_settlement_is_not_published(store: &Harness) {
    let claimed = store.running(task()).await;
    store.cancel(claimed.id, &crate::harness::operator()).await.unwrap();
    let mut ends = store.subscribe_completions();
    let answers = store.settle(vec![settlement(&claimed, DONE)]).await.unwrap();
    assert_eq!((answers, ends.drain()), (vec![Settled::Stale], vec![]));
}

/// D11: clones share one store, another process does not.
async fn clones_share_the_completion_feed(store: &Harness) {
    let mut ends = store.subscribe_completions();
    let clone = (**store).clone();
    let claimed = store.running(task()).await;
    clone.settle(vec![settlement(&claimed, DONE)]).await.unwrap();
    assert_eq!(ends.next().await, [claimed.id]);
}

/// W4: a subscriber that joins while a completion is being written receives it, because a read at
/// that moment may not find it yet.
async fn completion_in_flight_is_published(store: &Harness) {
    // On a busy machine the settlement may complete at its first poll.
    for _ in 0..100 {
        let claimed = store.running(task()).await;
        let mut settle = pin!(store.settle(vec![settlement(&claimed, DONE)]));
        let is_pending = poll_fn(|context| Poll::Ready(settle.as_mut().poll(context).is_pending()));
        if is_pending.await {
            let mut ends = store.subscribe_completions();
            settle.await.unwrap();
            assert_eq!(ends.drain(), [claimed.id]);
            return;
        }
    }
    panic!("none of a hundred settlements was pending at its first poll");
}

cases!(
    subscriber_receives_ended_tasks,
    stale_settlement_is_not_published,
    clones_share_the_completion_feed,
    completion_in_flight_is_published,
);
