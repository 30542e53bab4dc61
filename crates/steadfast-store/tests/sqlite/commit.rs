//! Group commit: one flush for many jobs, isolated from each other's failures.

use std::pin::Pin;
use std::task::{Context, Waker};
use std::time::Duration;

use steadfast_store::{Status, StoreError, Submitted, Task};
use tokio::task::JoinHandle;

use crate::{Fixture, task};

/// The number of transactions in the log: the last frame of each has the size of the file after it
/// (<https://sqlite.org/fileformat.html#the_write_ahead_log>).
fn commits(fixture: &Fixture) -> usize {
    let log = std::fs::read(fixture.path.with_extension("db-wal")).unwrap();
    if log.is_empty() {
        return 0;
    }
    let number = |at: usize| u32::from_be_bytes(log[at..at + 4].try_into().unwrap());
    let (header, frame) = (32, 24 + number(8) as usize);
    (header..log.len()).step_by(frame).filter(|frame| number(frame + 4) != 0).count()
}

/// Submits one task per caller, all before the writer gets the first one.
fn submit_together(fixture: &Fixture, count: u32) -> Vec<JoinHandle<Submitting>> {
    let submit = |number| {
        let store = fixture.store.clone();
        tokio::spawn(async move { store.submit(task(number)).await })
    };
    (0..count).map(submit).collect()
}

type Submitting = Result<Submitted, StoreError>;

/// D1: a hundred callers share the flush of one commit.
#[tokio::test]
async fn concurrent_jobs_share_a_commit() {
    let fixture = Fixture::new().await;
    let before = commits(&fixture);
    for submitting in submit_together(&fixture, 100) {
        submitting.await.unwrap().unwrap();
    }
    assert_eq!(commits(&fixture) - before, 1);
    assert_eq!(fixture.store.stats().await.unwrap().pending, 100);
}

/// D9: one caller's error does not affect the others of its commit.
#[tokio::test]
async fn failed_job_does_not_roll_back_others() {
    let fixture = Fixture::new().await;
    fixture.store.submit(task(1).key("taken")).await.unwrap();
    let before = commits(&fixture);
    let first = submit_together(&fixture, 10);
    let store = fixture.store.clone();
    let wrong = tokio::spawn(async move {
        // The first of the two is new, and must be rolled back with the second.
        store.submit_all(vec![task(2), task(3).key("taken")]).await
    });
    let last = submit_together(&fixture, 10);
    for submitting in first.into_iter().chain(last) {
        submitting.await.unwrap().unwrap();
    }
    assert!(matches!(wrong.await.unwrap(), Err(StoreError::KeyTaken { .. })));
    assert_eq!(commits(&fixture) - before, 1);
    assert_eq!(fixture.store.stats().await.unwrap().pending, 21);
}

/// D9: each task of a group commit has its own result.
#[tokio::test]
async fn each_job_of_a_group_has_its_own_answer() {
    let fixture = Fixture::new().await;
    let known = fixture.store.submit(task(1)).await.unwrap().id;
    let before = commits(&fixture);
    let later = task(3).queue("later").after(Duration::from_secs(60));
    let submit = |task: Task| {
        let store = fixture.store.clone();
        tokio::spawn(async move { store.submit(task).await })
    };
    let [new, again, later] = [task(2), task(1).with_id(known), later].map(submit);
    let existed = async |it: JoinHandle<Submitting>| it.await.unwrap().unwrap().existed;
    assert_eq!(
        [existed(new).await, existed(again).await, existed(later).await],
        [false, true, false]
    );
    assert_eq!(commits(&fixture) - before, 1);
    let stats = fixture.store.stats().await.unwrap();
    assert_eq!((stats.pending, stats.scheduled), (2, 1));
}

/// Polls the future once, before the writer gets its job.
fn poll_once<F: Future>(future: F) -> Pin<Box<F>> {
    let mut future = Box::pin(future);
    assert!(future.as_mut().poll(&mut Context::from_waker(Waker::noop())).is_pending());
    future
}

/// D4: a claim whose caller is gone holds no task.
#[tokio::test]
async fn cancelled_claim_holds_no_task() {
    let fixture = Fixture::new().await;
    fixture.store.submit(task(1)).await.unwrap();
    drop(poll_once(fixture.claim(1)));
    assert_eq!(fixture.claim(1).await.len(), 1);
}

/// D4: nor does one whose caller is gone after the commit and before the response.
#[tokio::test]
async fn unreceived_claim_is_released() {
    let fixture = Fixture::new().await;
    let id = fixture.store.submit(task(1)).await.unwrap().id;
    let claiming = poll_once(fixture.claim(1));
    while fixture.store.task(id).await.unwrap().status == Status::Pending {
        tokio::task::yield_now().await;
    }
    drop(claiming);
    while fixture.store.task(id).await.unwrap().status == Status::Running {
        tokio::task::yield_now().await;
    }
    let claimed = fixture.claim(1).await;
    assert_eq!((claimed[0].id, claimed[0].progress.attempts), (id, 0));
}

/// D9: a name that was cached by a job that was rolled back is not used afterwards.
#[tokio::test]
async fn rolled_back_queue_is_created_again() {
    let fixture = Fixture::new().await;
    fixture.store.submit(task(1).key("taken")).await.unwrap();
    let wrong = vec![task(2).queue("new"), task(3).key("taken")];
    fixture.store.submit_all(wrong).await.unwrap_err();
    fixture.store.submit(task(4).queue("other")).await.unwrap();
    fixture.store.submit(task(5).queue("new")).await.unwrap();
    let queues = fixture.store.queues().await.unwrap();
    let counts: Vec<_> = queues.iter().map(|queue| (queue.name.as_str(), queue.pending)).collect();
    assert_eq!(counts, [("default", 1), ("new", 1), ("other", 1)]);
}
