//! Graceful shutdown (D13): no new claims, running tasks finish, the rest are released.

use std::time::Duration;

use steadfast::{Fault, Kind, Policy, Reason};
use steadfast_store::{Status, Task};
use steadfast_worker::Context;

use crate::claiming::blocking_handler;
use crate::stores::{eventually, on_each};
use crate::workers::{quick, signal_channel, start};

/// D13: running tasks may finish within the grace, and no other is started.
#[tokio::test(flavor = "multi_thread")]
async fn running_task_finishes_and_no_other_starts() {
    on_each(async |store| {
        let (handler, mut signals, gate) = blocking_handler();
        let worker = start(quick(&store).concurrency(1).handle("any", handler));
        let running = store.submit(Task::new("any", "running")).await.unwrap().id;
        signals.next().await;
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

/// D13: after the grace, running tasks are released at once without counting an attempt.
#[tokio::test(flavor = "multi_thread")]
async fn task_running_after_the_grace_is_released() {
    on_each(async |store| {
        let (signal, mut signals) = signal_channel();
        let handler = move |awaits_cancellation: bool, context: Context| {
            let signal = signal.clone();
            async move {
                signal.send(()).unwrap();
                if !awaits_cancellation {
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
        signals.some(2).await;
        worker.stop().await;
        for id in ids {
            let task = store.task(id).await.unwrap();
            assert_eq!((task.status, task.attempts), (Status::Pending, 0));
            assert!(task.faults.is_empty() && task.lease.is_none());
        }
    })
    .await;
}

/// D13, J9: a task that is unsafe to repeat is not released.
#[tokio::test(flavor = "multi_thread")]
async fn unsafe_task_running_after_the_grace_fails() {
    on_each(async |store| {
        let (signal, mut signals) = signal_channel();
        let handler = move |(): ()| {
            signal.send(()).unwrap();
            std::future::pending::<Result<(), Fault>>()
        };
        let worker = quick(&store).grace(Duration::from_millis(20));
        let worker = start(worker.handle("any", handler));
        let once = Policy::immediate().idempotent(false).build().unwrap();
        let id = store.submit(Task::new("any", &()).under(once)).await.unwrap().id;
        signals.next().await;
        worker.stop().await;
        let task = store.task(id).await.unwrap();
        assert_eq!((task.status, task.reason), (Status::Failed, Some(Reason::NotSafeToRetry)));
        assert_eq!(task.faults.len(), 1);
    })
    .await;
}

/// D13: a result that a handler returns after its cancellation counts.
#[tokio::test(flavor = "multi_thread")]
async fn result_returned_after_cancellation_counts() {
    on_each(async |store| {
        let (signal, mut signals) = signal_channel();
        let handler = move |(): (), context: Context| {
            let signal = signal.clone();
            async move {
                signal.send(()).unwrap();
                context.cancelled().await;
                Ok::<_, Fault>("saved")
            }
        };
        let worker = start(quick(&store).grace(Duration::ZERO).handle("any", handler));
        let id = store.submit(Task::new("any", &())).await.unwrap().id;
        signals.next().await;
        worker.stop().await;
        let task = store.task(id).await.unwrap();
        assert_eq!((task.status, task.result), (Status::Completed, Some("saved".into())));
    })
    .await;
}

/// D13: prefetched tasks are released at once.
#[tokio::test(flavor = "multi_thread")]
async fn prefetched_tasks_are_released_on_shutdown() {
    on_each(async |store| {
        let (handler, mut signals, gate) = blocking_handler();
        let worker = start(quick(&store).concurrency(1).handle("any", handler));
        gate.add_permits(100);
        let quick_ones = (0..100).map(|_| Task::new("any", "quick"));
        store.submit_all(quick_ones.collect()).await.unwrap();
        signals.some(100).await;
        let slow_ones = (0..10).map(|_| Task::new("any", "slow"));
        store.submit_all(slow_ones.collect()).await.unwrap();
        signals.next().await;
        let stopping = tokio::spawn(worker.stop());
        eventually(async || store.stats().await.unwrap().pending >= 9).await;
        assert!(!stopping.is_finished(), "the running task is awaited");
        gate.add_permits(1);
        stopping.await.unwrap();
        let stats = store.stats().await.unwrap();
        assert_eq!((stats.completed, stats.pending, stats.running), (101, 9, 0));
    })
    .await;
}

/// D13: a shutdown without grace releases everything.
#[tokio::test(flavor = "multi_thread")]
async fn shutdown_without_grace_leaves_no_lease() {
    on_each(async |store| {
        let (handler, mut signals, gate) = blocking_handler();
        let worker = quick(&store).concurrency(1).grace(Duration::ZERO);
        let worker = start(worker.handle("any", handler));
        gate.add_permits(100);
        let tasks = (0..1000).map(|_| Task::new("any", "x"));
        store.submit_all(tasks.collect()).await.unwrap();
        signals.some(101).await;
        worker.stop().await;
        let stats = store.stats().await.unwrap();
        assert_eq!((stats.completed, stats.pending, stats.running), (100, 900, 0));
    })
    .await;
}
