//! How many tasks run at a time (D13).

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use steadfast::Fault;
use steadfast_store::Task;

use crate::claiming::blocks;
use crate::stores::on_each;
use crate::workers::{quick, signals, start};

/// D13: a queue's limit holds within the worker's, and keeps nobody else waiting.
#[tokio::test(flavor = "multi_thread")]
async fn a_queue_has_a_limit_of_its_own() {
    on_each(async |store| {
        let (handler, mut heard, gate) = blocks();
        let task = |name: &str, queue: &str| Task::new("any", name).queue(queue);
        let tasks = ["mail 1", "mail 2", "mail 3"].map(|name| task(name, "mail"));
        let others = ["other 1", "other 2", "other 3"].map(|name| task(name, "other"));
        store.submit_all([tasks, others].concat()).await.unwrap();
        // Nobody waits for the poll.
        let worker = quick(&store).poll(Duration::MAX).concurrency(4);
        let worker = worker.queue("mail", 1).queue("other", 4);
        let worker = start(worker.handle("any", handler));

        let mut begun = heard.some(4).await;
        begun.sort();
        assert_eq!(begun, ["mail 1", "other 1", "other 2", "other 3"]);
        gate.add_permits(4);
        assert_eq!(heard.next().await, "mail 2");
        gate.add_permits(2);
        assert_eq!(heard.next().await, "mail 3");
        worker.stop().await;
        assert_eq!(store.stats().await.unwrap().completed, 6);
    })
    .await;
}

/// D13: what was claimed ahead keeps the limit, too.
#[tokio::test(flavor = "multi_thread")]
async fn a_queues_limit_holds_for_quick_tasks() {
    on_each(async |store| {
        let (told, mut heard) = signals();
        let running = Arc::new(AtomicUsize::new(0));
        let handler = move |(): ()| {
            let (told, running) = (told.clone(), running.clone());
            async move {
                let others = running.fetch_add(1, Ordering::SeqCst);
                tokio::task::yield_now().await;
                running.fetch_sub(1, Ordering::SeqCst);
                told.send(others).unwrap();
                Ok::<_, Fault>(())
            }
        };
        let worker = start(quick(&store).queue("mail", 2).handle("any", handler));
        let tasks = (0..300).map(|_| Task::new("any", &()).queue("mail"));
        store.submit_all(tasks.collect()).await.unwrap();
        let most = heard.some(300).await.into_iter().max();
        worker.stop().await;
        assert!(most <= Some(1), "at most one other at a time, not {most:?}");
    })
    .await;
}

/// D13: no more run at a time than the worker may run.
#[tokio::test(flavor = "multi_thread")]
async fn a_worker_has_a_limit_over_all_its_queues() {
    on_each(async |store| {
        let (handler, mut heard, gate) = blocks();
        let task = |number: u32| Task::new("any", "x").queue(format!("q{}", number % 3));
        store.submit_all((0..9).map(task).collect()).await.unwrap();
        let worker = quick(&store).concurrency(3).queues(["q0", "q1", "q2"]);
        let worker = start(worker.handle("any", handler));
        heard.some(3).await;
        let stats = store.stats().await.unwrap();
        assert_eq!((stats.running, stats.pending), (3, 6));
        gate.add_permits(9);
        heard.some(6).await;
        worker.stop().await;
    })
    .await;
}
