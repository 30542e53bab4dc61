//! Claims: which tasks, in which order, and how many.

use std::collections::HashSet;
use std::sync::Arc;
use std::time::Duration;

use steadfast::{Fault, Policy};
use steadfast_store::{Actor, Status, Store, Task};
use steadfast_worker::{Context, Handler};
use tokio::sync::Semaphore;

use crate::stores::{eventually, on_each, until};
use crate::workers::{Signals, quick, signal_channel, start};

/// A handler that signals its payload.
fn reporting_handler() -> (impl Handler<(String,)>, Signals<String>) {
    let (signal, received) = signal_channel();
    let handler = move |name: String| {
        signal.send(name).unwrap();
        async { Ok::<_, Fault>(()) }
    };
    (handler, received)
}

/// A handler that signals its payload and waits for a permit.
pub(crate) fn blocking_handler() -> (impl Handler<(String,)>, Signals<String>, Arc<Semaphore>) {
    let (signal, received) = signal_channel();
    let gate = Arc::new(Semaphore::new(0));
    let handler_gate = gate.clone();
    let handler = move |name: String| {
        let (signal, gate) = (signal.clone(), handler_gate.clone());
        async move {
            signal.send(name).unwrap();
            gate.acquire().await.unwrap().forget();
            Ok::<_, Fault>(())
        }
    };
    (handler, received, gate)
}

/// D5, S1: of the due tasks, the one submitted first goes first, retried or not. A task that is
/// not due is not claimed.
#[tokio::test(flavor = "multi_thread")]
async fn retried_task_keeps_its_position_in_claim_order() {
    on_each(async |store| {
        let (signal, mut signals) = signal_channel();
        let handler = move |name: String, context: Context| {
            signal.send((name.clone(), context.attempt())).unwrap();
            let fails = name == "oldest" && context.attempt() == 1;
            async move { if fails { Err(Fault::http(503)) } else { Ok(()) } }
        };
        let worker = || quick(&store).concurrency(1).handle("any", handler.clone());
        let retried = || Policy::fixed(Duration::from_secs(3600)).build().unwrap();

        let first = start(worker());
        let oldest = Task::new("any", "oldest").under(retried());
        let oldest = store.submit(oldest).await.unwrap().id;
        assert_eq!(signals.next().await, ("oldest".to_owned(), 1));
        until(&store, oldest, Status::Scheduled).await;
        first.stop().await;

        for name in ["new", "newer"] {
            store.submit(Task::new("any", name)).await.unwrap();
        }
        let not_due = Task::new("any", "not due").under(retried());
        store.submit(not_due.failed_once(Fault::http(503))).await.unwrap();
        store.run_now(oldest, &Actor::new("test")).await.unwrap();

        let second = start(worker());
        let order = [("oldest", 2), ("new", 1), ("newer", 1)];
        assert_eq!(signals.some(3).await, order.map(|(name, attempt)| (name.to_owned(), attempt)));
        second.stop().await;
        assert_eq!(store.stats().await.unwrap().scheduled, 1);
    })
    .await;
}

/// D5: under load, no task is lost and none runs twice.
#[tokio::test(flavor = "multi_thread")]
async fn thousands_of_tasks_each_run_once() {
    on_each(async |store| {
        const MANY: u32 = 5000;
        let (signal, mut signals) = signal_channel();
        let handler = move |number: u32| {
            signal.send(number).unwrap();
            async { Ok::<_, Fault>(()) }
        };
        let worker = start(quick(&store).handle("any", handler));
        let tasks: Vec<_> = (0..MANY).map(|number| Task::new("any", &number)).collect();
        store.submit_all(tasks).await.unwrap();
        let done: HashSet<_> = signals.some(MANY as usize).await.into_iter().collect();
        worker.stop().await;
        assert_eq!(done.len(), MANY as usize);
        assert!(signals.rest().is_empty());
        let stats = store.stats().await.unwrap();
        assert_eq!((stats.completed, stats.pending, stats.running), (u64::from(MANY), 0, 0));
    })
    .await;
}

/// D5: a higher priority goes first.
#[tokio::test(flavor = "multi_thread")]
async fn higher_priority_is_claimed_first() {
    on_each(async |store| {
        let (handler, mut signals) = reporting_handler();
        let tasks = [("low", -1), ("first", 0), ("high", 7), ("second", 0)];
        let tasks = tasks.map(|(name, priority)| Task::new("any", name).priority(priority));
        store.submit_all(tasks.to_vec()).await.unwrap();
        let worker = start(quick(&store).concurrency(1).handle("any", handler));
        assert_eq!(signals.some(4).await, ["high", "first", "second", "low"]);
        worker.stop().await;
    })
    .await;
}

/// D5: a worker claims only from its queues and categories.
#[tokio::test(flavor = "multi_thread")]
async fn worker_claims_only_its_queues_and_categories() {
    on_each(async |store| {
        let (handler, mut signals) = reporting_handler();
        let task = |name: &str, queue: &str, category: &str| {
            Task::new("any", name).queue(queue).category(category)
        };
        let tasks = vec![
            task("1", "mail", "a"),
            task("2", "print", "a"),
            task("3", "mail", "c"),
            task("4", "mail", "b"),
            task("5", "fax", "a"),
        ];
        store.submit_all(tasks).await.unwrap();
        let worker = quick(&store).concurrency(1).queues(["mail", "fax"]).categories(["a", "b"]);
        let worker = start(worker.handle("any", handler));
        assert_eq!(signals.some(3).await, ["1", "4", "5"]);
        worker.stop().await;
        assert!(signals.rest().is_empty());
        assert_eq!(store.stats().await.unwrap().pending, 2);
    })
    .await;
}

/// A worker claims no more long tasks than it can run, since other workers may be idle.
#[tokio::test(flavor = "multi_thread")]
async fn long_tasks_are_not_prefetched() {
    on_each(async |store| {
        let (handler, mut signals, gate) = blocking_handler();
        let tasks = (0..10).map(|number| Task::new("any", &number.to_string()));
        store.submit_all(tasks.collect()).await.unwrap();
        let worker = start(quick(&store).concurrency(2).handle("any", handler));
        signals.some(2).await;
        let stats = store.stats().await.unwrap();
        assert_eq!((stats.running, stats.pending), (2, 8));
        gate.add_permits(10);
        signals.some(8).await;
        worker.stop().await;
        assert_eq!(store.stats().await.unwrap().completed, 10);
    })
    .await;
}

/// Tasks that were prefetched while tasks were short are released when tasks become long.
#[tokio::test(flavor = "multi_thread")]
async fn prefetched_task_that_cannot_start_soon_is_released() {
    on_each(async |store| {
        let (handler, mut signals, gate) = blocking_handler();
        gate.add_permits(200);
        let worker = start(quick(&store).concurrency(2).handle("any", handler));
        submit(&store, 200).await;
        signals.some(200).await;
        submit(&store, 50).await;
        signals.some(2).await;
        eventually(async || store.stats().await.unwrap().running <= 2).await;
        gate.add_permits(50);
        signals.some(48).await;
        worker.stop().await;
        let stats = store.stats().await.unwrap();
        assert_eq!((stats.completed, stats.pending), (250, 0));
    })
    .await;
}

async fn submit(store: &Store, count: u32) {
    let tasks = (0..count).map(|number| Task::new("any", &number.to_string()));
    store.submit_all(tasks.collect()).await.unwrap();
}

/// D18: fencing tokens increase from claim to claim.
#[tokio::test(flavor = "multi_thread")]
async fn later_claim_has_a_greater_fencing_token() {
    on_each(async |store| {
        let (signal, mut signals) = signal_channel();
        let handler = move |(): (), context: Context| {
            signal.send(context.fencing_token()).unwrap();
            async { Err::<(), _>(Fault::http(503)) }
        };
        let worker = start(quick(&store).handle("any", handler));
        let policy = Policy::immediate().max_attempts(3).build().unwrap();
        store.submit(Task::new("any", &()).under(policy)).await.unwrap();
        let tokens = signals.some(3).await;
        worker.stop().await;
        assert!(tokens.is_sorted_by(|a, b| a < b), "{tokens:?}");
    })
    .await;
}
