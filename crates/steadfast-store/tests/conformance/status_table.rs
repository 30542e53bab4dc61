//! The transition table (D3): the engines follow [`Status::after`].

use steadfast_store::{ClaimRequest, Claimed, Event, Settled, Status, StoreError, Verdict};

use crate::harness::*;

cases![
    pending_task_follows_the_transition_table,
    scheduled_task_follows_the_transition_table,
    running_task_follows_the_transition_table,
    completed_task_follows_the_transition_table,
    failed_task_follows_the_transition_table,
    cancelled_task_follows_the_transition_table,
];

const EVENTS: [Event; 9] = [
    Event::Claim,
    Event::Promote,
    Event::Complete,
    Event::Delay,
    Event::Fail,
    Event::Release,
    Event::Cancel,
    Event::Requeue,
    Event::RunNow,
];

/// D3
async fn pending_task_follows_the_transition_table(store: &Harness) {
    every_event_after(store, Status::Pending).await;
}

/// D3
async fn scheduled_task_follows_the_transition_table(store: &Harness) {
    every_event_after(store, Status::Scheduled).await;
}

/// D3
async fn running_task_follows_the_transition_table(store: &Harness) {
    every_event_after(store, Status::Running).await;
}

/// D3
async fn completed_task_follows_the_transition_table(store: &Harness) {
    every_event_after(store, Status::Completed).await;
}

/// D3
async fn failed_task_follows_the_transition_table(store: &Harness) {
    every_event_after(store, Status::Failed).await;
}

/// D3
async fn cancelled_task_follows_the_transition_table(store: &Harness) {
    every_event_after(store, Status::Cancelled).await;
}

async fn every_event_after(store: &Harness, status: Status) {
    for event in EVENTS {
        let queue = format!("{event:?}");
        let task = task_with_status(store, status, &queue).await;
        let accepted = apply(store, event, &task, &queue).await;
        let expected = status.after(event);
        assert_eq!(accepted, expected.is_some(), "{event:?} can happen to a {status} task");
        let now = store.status(task.id).await;
        assert_eq!(now, expected.unwrap_or(status), "{event:?} happened to a {status} task");
    }
}

/// A task that was claimed once and now has this status.
async fn task_with_status(store: &Harness, status: Status, queue: &str) -> Claimed {
    store.put(task().queue(queue).under(a_minute_apart())).await;
    let task = claim(store, queue).await.pop().unwrap();
    let verdict = match status {
        Status::Pending => Verdict::Released,
        Status::Scheduled => Verdict::Postponed { delay: secs(3600) },
        Status::Running => return task,
        Status::Completed => DONE,
        Status::Failed => store.verdict(&task, gone()).await,
        Status::Cancelled => {
            store.cancel(task.id, &operator()).await.unwrap();
            return task;
        }
    };
    assert_eq!(store.settle_one(&task, verdict).await, Settled::Accepted);
    assert_eq!(store.status(task.id).await, status);
    task
}

async fn claim(store: &Harness, queue: &str) -> Vec<Claimed> {
    store.claim(&ClaimRequest::new("w1", 9).queue(queue)).await.unwrap().tasks
}

/// Whether the event was accepted.
async fn apply(store: &Harness, event: Event, task: &Claimed, queue: &str) -> bool {
    let by = operator();
    match event {
        Event::Claim => !claim(store, queue).await.is_empty(),
        Event::Promote => {
            store.make_due(task.id).await;
            store.promote(100).await.unwrap().count > 0
        }
        Event::Complete => is_accepted(store, task, DONE).await,
        Event::Delay => is_accepted(store, task, store.verdict(task, unavailable()).await).await,
        Event::Fail => is_accepted(store, task, store.verdict(task, gone()).await).await,
        Event::Release => is_accepted(store, task, Verdict::Released).await,
        Event::Cancel => is_done(store.cancel(task.id, &by).await),
        Event::Requeue => is_done(store.requeue(task.id, true, &by).await),
        Event::RunNow => is_done(store.run_now(task.id, &by).await),
        other => panic!("{other:?} is new: add it here"),
    }
}

async fn is_accepted(store: &Harness, task: &Claimed, verdict: Verdict) -> bool {
    store.settle_one(task, verdict).await == Settled::Accepted
}

fn is_done(answer: Result<(), StoreError>) -> bool {
    match answer {
        Ok(()) => true,
        Err(StoreError::WrongStatus { .. }) => false,
        Err(error) => panic!("{error}"),
    }
}
