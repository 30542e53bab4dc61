//! Concurrency limits (D13).

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use steadfast::Fault;
use steadfast_store::Task;

use crate::claiming::blocking_handler;
use crate::stores::on_each;
use crate::workers::{quick, signal_channel, start};

/// D13: a queue's limit holds within the worker's, and does not delay other queues.
#[tokio::test(flavor = "multi_thread")]
async fn queue_limit_does_not_delay_other_queues() {
    on_each(async |store| {
        let (handler, mut signals, gate) = blocking_handler();
        let task = |name: &str, queue: &str| Task::new("any", name).queue(queue);
        let tasks = ["mail 1", "mail 2", "mail 3"].map(|name| task(name, "mail"));
        let others = ["other 1", "other 2", "other 3"].map(|name| task(name, "other"));
        store.submit_all([tasks, others].concat()).await.unwrap();
        // The poll never fires.
        let worker = quick(&store).poll(Duration::MAX).concurrency(4);
        let worker = worker.queue("mail", 1).queue("other", 4);
        let worker = start(worker.handle("any", handler));

        let mut started = signals.some(4).await;
        started.sort();
        assert_eq!(started, ["mail 1", "other 1", "other 2", "other 3"]);
        gate.add_permits(4);
        assert_eq!(signals.next().await, "mail 2");
        gate.add_permits(2);
        assert_eq!(signals.next().await, "mail 3");
        worker.stop().await;
        assert_eq!(store.stats().await.unwrap().completed, 6);
    })
    .await;
}

/// D13: prefetched tasks respect the limit, too.
#[tokio::test(flavor = "multi_thread")]
async fn queue_limit_holds_for_short_tasks() {
    on_each(async |store| {
        let (signal, mut signals) = signal_channel();
        let running = Arc::new(AtomicUsize::new(0));
        let handler = move |(): ()| {
            let (signal, running) = (signal.clone(), running.clone());
            async move {
                let others = running.fetch_add(1, Ordering::SeqCst);
                tokio::task::yield_now().await;
                running.fetch_sub(1, Ordering::SeqCst);
                signal.send(others).unwrap();
                Ok::<_, Fault>(())
            }
        };
        let worker = start(quick(&store).queue("mail", 2).handle("any", handler));
        let tasks = (0..300).map(|_| Task::new("any", &()).queue("mail"));
        store.submit_all(tasks.collect()).await.unwrap();
        let max = signals.some(300).await.into_iter().max();
        worker.stop().await;
        assert!(max <= Some(1), "at most one other task may run, not {max:?}");
    })
    .await;
}

/// D13: no more tasks run at a time than the worker's limit.
#[tokio::test(flavor = "multi_thread")]
async fn worker_limit_holds_over_all_queues() {
    on_each(async |store| {
        let (handler, mut signals, gate) = blocking_handler();
        let task = |number: u32| Task::new("any", "x").queue(format!("q{}", number % 3));
        store.submit_all((0..9).map(task).collect()).await.unwrap();
        let worker = quick(&store).concurrency(3).queues(["q0", "q1", "q2"]);
        let worker = start(worker.handle("any", handler));
        signals.some(3).await;
        let stats = store.stats().await.unwrap();
        assert_eq!((stats.running, stats.pending), (3, 6));
        gate.add_permits(9);
        signals.some(6).await;
        worker.stop().await;
    })
    .await;
}
