//! Which tasks are taken, in which order, and how many of them.

use std::collections::HashSet;
use std::sync::Arc;
use std::time::Duration;

use steadfast::{Fault, Policy};
use steadfast_store::{Actor, Status, Store, Task};
use steadfast_worker::{Context, Handler};
use tokio::sync::Semaphore;

use crate::stores::{eventually, on_each, until};
use crate::workers::{Heard, quick, signals, start};

/// A handler that says what it was given.
fn says() -> (impl Handler<(String,)>, Heard<String>) {
    let (told, heard) = signals();
    let handler = move |name: String| {
        told.send(name).unwrap();
        async { Ok::<_, Fault>(()) }
    };
    (handler, heard)
}

/// A handler that says what it was given and waits to be let go.
pub(crate) fn blocks() -> (impl Handler<(String,)>, Heard<String>, Arc<Semaphore>) {
    let (told, heard) = signals();
    let gate = Arc::new(Semaphore::new(0));
    let opens = gate.clone();
    let handler = move |name: String| {
        let (told, gate) = (told.clone(), gate.clone());
        async move {
            told.send(name).unwrap();
            gate.acquire().await.unwrap().forget();
            Ok::<_, Fault>(())
        }
    };
    (handler, heard, opens)
}

/// D5, S1: of what is due, the one submitted first goes first, tried before or not. What is
/// not due yet is not taken.
#[tokio::test(flavor = "multi_thread")]
async fn a_retried_task_keeps_its_place_in_the_line() {
    on_each(async |store| {
        let (told, mut heard) = signals();
        let handler = move |name: String, context: Context| {
            told.send((name.clone(), context.attempt())).unwrap();
            let fails = name == "oldest" && context.attempt() == 1;
            async move { if fails { Err(Fault::http(503)) } else { Ok(()) } }
        };
        let worker = || quick(&store).concurrency(1).handle("any", handler.clone());
        let retried = || Policy::fixed(Duration::from_secs(3600)).build().unwrap();

        let first = start(worker());
        let oldest = Task::new("any", "oldest").under(retried());
        let oldest = store.submit(oldest).await.unwrap().id;
        assert_eq!(heard.next().await, ("oldest".to_owned(), 1));
        until(&store, oldest, Status::Scheduled).await;
        first.stop().await;

        for name in ["new", "newer"] {
            store.submit(Task::new("any", name)).await.unwrap();
        }
        let not_ready = Task::new("any", "not ready yet").under(retried());
        store.submit(not_ready.failed_once(Fault::http(503))).await.unwrap();
        store.run_now(oldest, &Actor::new("test")).await.unwrap();

        let second = start(worker());
        let order = [("oldest", 2), ("new", 1), ("newer", 1)];
        assert_eq!(heard.some(3).await, order.map(|(name, attempt)| (name.to_owned(), attempt)));
        second.stop().await;
        assert_eq!(store.stats().await.unwrap().scheduled, 1);
    })
    .await;
}

/// D5: nothing is lost and nothing is done twice when there is much to do.
#[tokio::test(flavor = "multi_thread")]
async fn every_one_of_many_tasks_is_done_once() {
    on_each(async |store| {
        const MANY: u32 = 5000;
        let (told, mut heard) = signals();
        let handler = move |number: u32| {
            told.send(number).unwrap();
            async { Ok::<_, Fault>(()) }
        };
        let worker = start(quick(&store).handle("any", handler));
        let tasks: Vec<_> = (0..MANY).map(|number| Task::new("any", &number)).collect();
        store.submit_all(tasks).await.unwrap();
        let done: HashSet<_> = heard.some(MANY as usize).await.into_iter().collect();
        worker.stop().await;
        assert_eq!(done.len(), MANY as usize);
        assert!(heard.rest().is_empty());
        let stats = store.stats().await.unwrap();
        assert_eq!((stats.completed, stats.pending, stats.running), (u64::from(MANY), 0, 0));
    })
    .await;
}

/// D5: a higher priority goes first.
#[tokio::test(flavor = "multi_thread")]
async fn a_higher_priority_goes_first() {
    on_each(async |store| {
        let (handler, mut heard) = says();
        let tasks = [("low", -1), ("first", 0), ("high", 7), ("second", 0)];
        let tasks = tasks.map(|(name, priority)| Task::new("any", name).priority(priority));
        store.submit_all(tasks.to_vec()).await.unwrap();
        let worker = start(quick(&store).concurrency(1).handle("any", handler));
        assert_eq!(heard.some(4).await, ["high", "first", "second", "low"]);
        worker.stop().await;
    })
    .await;
}

/// D5: a worker takes only of the queues and categories that it serves.
#[tokio::test(flavor = "multi_thread")]
async fn only_the_wanted_queues_and_categories_are_taken() {
    on_each(async |store| {
        let (handler, mut heard) = says();
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
        assert_eq!(heard.some(3).await, ["1", "4", "5"]);
        worker.stop().await;
        assert!(heard.rest().is_empty());
        assert_eq!(store.stats().await.unwrap().pending, 2);
    })
    .await;
}

/// A worker takes no more long tasks than it can run: others may have a free hand.
#[tokio::test(flavor = "multi_thread")]
async fn long_tasks_are_not_hoarded() {
    on_each(async |store| {
        let (handler, mut heard, gate) = blocks();
        let tasks = (0..10).map(|number| Task::new("any", &number.to_string()));
        store.submit_all(tasks.collect()).await.unwrap();
        let worker = start(quick(&store).concurrency(2).handle("any", handler));
        heard.some(2).await;
        let stats = store.stats().await.unwrap();
        assert_eq!((stats.running, stats.pending), (2, 8));
        gate.add_permits(10);
        heard.some(8).await;
        worker.stop().await;
        assert_eq!(store.stats().await.unwrap().completed, 10);
    })
    .await;
}

/// What was claimed ahead because tasks used to be quick goes back when they no longer are.
#[tokio::test(flavor = "multi_thread")]
async fn what_cannot_be_started_soon_goes_back() {
    on_each(async |store| {
        let (handler, mut heard, gate) = blocks();
        gate.add_permits(200);
        let worker = start(quick(&store).concurrency(2).handle("any", handler));
        submit(&store, 200).await;
        heard.some(200).await;
        submit(&store, 50).await;
        heard.some(2).await;
        eventually(async || store.stats().await.unwrap().running <= 2).await;
        gate.add_permits(50);
        heard.some(48).await;
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

/// D18: versions only grow, from claim to claim.
#[tokio::test(flavor = "multi_thread")]
async fn a_later_holder_has_a_greater_version() {
    on_each(async |store| {
        let (told, mut heard) = signals();
        let handler = move |(): (), context: Context| {
            told.send(context.version()).unwrap();
            async { Err::<(), _>(Fault::http(503)) }
        };
        let worker = start(quick(&store).handle("any", handler));
        let policy = Policy::immediate().max_attempts(3).build().unwrap();
        store.submit(Task::new("any", &()).under(policy)).await.unwrap();
        let versions = heard.some(3).await;
        worker.stop().await;
        assert!(versions.is_sorted_by(|a, b| a < b), "{versions:?}");
    })
    .await;
}
