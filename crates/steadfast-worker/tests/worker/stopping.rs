//! A graceful stop (D13): no new claims, running ones finish, the rest go back.

use std::time::Duration;

use steadfast::{Fault, Kind, Policy, Reason};
use steadfast_store::{Status, Task};
use steadfast_worker::Context;

use crate::claiming::blocks;
use crate::stores::{eventually, on_each};
use crate::workers::{quick, signals, start};

/// D13: what runs may finish within the grace, and nothing else is begun.
#[tokio::test(flavor = "multi_thread")]
async fn what_runs_may_finish_and_nothing_else_is_begun() {
    on_each(async |store| {
        let (handler, mut heard, gate) = blocks();
        let worker = start(quick(&store).concurrency(1).handle("any", handler));
        let running = store.submit(Task::new("any", "running")).await.unwrap().id;
        heard.next().await;
        let stopping = tokio::spawn(worker.stop());
        let waiting = store.submit(Task::new("any", "waiting")).await.unwrap().id;
        assert!(!stopping.is_finished());
        gate.add_permits(2);
        stopping.await.unwrap();
        assert_eq!(store.task(running).await.unwrap().status, Status::Completed);
        assert_eq!(store.task(waiting).await.unwrap().status, Status::Pending);
    })
    .await;
}

/// D13: when the grace is over, what still runs goes back at once and has cost no attempt.
#[tokio::test(flavor = "multi_thread")]
async fn what_outlasts_the_grace_goes_back() {
    on_each(async |store| {
        let (told, mut heard) = signals();
        let handler = move |listens: bool, context: Context| {
            let told = told.clone();
            async move {
                told.send(()).unwrap();
                if !listens {
                    return std::future::pending().await;
                }
                context.cancelled().await;
                Err::<(), _>(Fault::of(Kind::Interrupted))
            }
        };
        let worker = quick(&store).grace(Duration::from_millis(20));
        let worker = start(worker.handle("any", handler));
        let tasks = [Task::new("any", &true), Task::new("any", &false)];
        let ids = tasks.each_ref().map(Task::id);
        store.submit_all(tasks.to_vec()).await.unwrap();
        heard.some(2).await;
        worker.stop().await;
        for id in ids {
            let task = store.task(id).await.unwrap();
            assert_eq!((task.status, task.attempts), (Status::Pending, 0));
            assert!(task.faults.is_empty() && task.lease.is_none());
        }
    })
    .await;
}

/// D13, J9: what must not be done twice is not given to anybody else.
#[tokio::test(flavor = "multi_thread")]
async fn what_may_have_been_done_does_not_go_back() {
    on_each(async |store| {
        let (told, mut heard) = signals();
        let handler = move |(): ()| {
            told.send(()).unwrap();
            std::future::pending::<Result<(), Fault>>()
        };
        let worker = quick(&store).grace(Duration::from_millis(20));
        let worker = start(worker.handle("any", handler));
        let once = Policy::immediate().idempotent(false).build().unwrap();
        let id = store.submit(Task::new("any", &()).under(once)).await.unwrap().id;
        heard.next().await;
        worker.stop().await;
        let task = store.task(id).await.unwrap();
        assert_eq!((task.status, task.reason), (Status::Failed, Some(Reason::NotSafeToRetry)));
        assert_eq!(task.faults.len(), 1);
    })
    .await;
}

/// D13: what a handler finishes while it is called off still counts.
#[tokio::test(flavor = "multi_thread")]
async fn what_is_finished_at_the_last_moment_is_done() {
    on_each(async |store| {
        let (told, mut heard) = signals();
        let handler = move |(): (), context: Context| {
            let told = told.clone();
            async move {
                told.send(()).unwrap();
                context.cancelled().await;
                Ok::<_, Fault>("saved")
            }
        };
        let worker = start(quick(&store).grace(Duration::ZERO).handle("any", handler));
        let id = store.submit(Task::new("any", &())).await.unwrap().id;
        heard.next().await;
        worker.stop().await;
        let task = store.task(id).await.unwrap();
        assert_eq!((task.status, task.result), (Status::Completed, Some("saved".into())));
    })
    .await;
}

/// D13: what was claimed ahead and not begun goes back at once.
#[tokio::test(flavor = "multi_thread")]
async fn what_was_claimed_ahead_goes_back() {
    on_each(async |store| {
        let (handler, mut heard, gate) = blocks();
        let worker = start(quick(&store).concurrency(1).handle("any", handler));
        gate.add_permits(100);
        let quick_ones = (0..100).map(|_| Task::new("any", "quick"));
        store.submit_all(quick_ones.collect()).await.unwrap();
        heard.some(100).await;
        let slow_ones = (0..10).map(|_| Task::new("any", "slow"));
        store.submit_all(slow_ones.collect()).await.unwrap();
        heard.next().await;
        let stopping = tokio::spawn(worker.stop());
        eventually(async || store.stats().await.unwrap().pending >= 9).await;
        assert!(!stopping.is_finished(), "the one that runs is waited for");
        gate.add_permits(1);
        stopping.await.unwrap();
        let stats = store.stats().await.unwrap();
        assert_eq!((stats.completed, stats.pending, stats.running), (101, 9, 0));
    })
    .await;
}

/// D13: all of it, however much there is, and without a grace.
#[tokio::test(flavor = "multi_thread")]
async fn nothing_is_left_under_a_lease() {
    on_each(async |store| {
        let (handler, mut heard, gate) = blocks();
        let worker = quick(&store).concurrency(1).grace(Duration::ZERO);
        let worker = start(worker.handle("any", handler));
        gate.add_permits(100);
        let tasks = (0..1000).map(|_| Task::new("any", "x"));
        store.submit_all(tasks.collect()).await.unwrap();
        heard.some(101).await;
        worker.stop().await;
        let stats = store.stats().await.unwrap();
        assert_eq!((stats.completed, stats.pending, stats.running), (100, 900, 0));
    })
    .await;
}
