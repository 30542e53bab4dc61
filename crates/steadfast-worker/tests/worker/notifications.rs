//! Notifications that wake a worker (D11). The poll interval of these workers is an hour, so
//! whatever starts was woken by the notification under test.

use std::time::{Duration, Instant};

use steadfast::Fault;
use steadfast_store::{Actor, Store, Task};
use steadfast_worker::Handler;

use crate::faulty_engine::FaultyEngine;
use crate::stores::{on_each, on_each_engine};
use crate::workers::{Signals, quick, signal_channel, start};

const HOUR: Duration = Duration::from_secs(3600);

fn timing_handler() -> (impl Handler<((),)>, Signals<Instant>) {
    let (signal, received) = signal_channel();
    let handler = move |(): ()| {
        signal.send(Instant::now()).unwrap();
        async { Ok::<_, Fault>(()) }
    };
    (handler, received)
}

/// D11: a submission wakes an idle worker.
#[tokio::test(flavor = "multi_thread")]
async fn submission_wakes_an_idle_worker() {
    on_each(async |store| {
        let (handler, mut signals) = timing_handler();
        let worker = start(quick(&store).poll(HOUR).handle("any", handler));
        for _ in 0..20 {
            store.submit(Task::new("any", &())).await.unwrap();
            signals.next().await;
        }
        worker.stop().await;
    })
    .await;
}

/// D11: a scheduled task starts when it is due, and not before.
#[tokio::test(flavor = "multi_thread")]
async fn scheduled_task_starts_when_due() {
    on_each(async |store| {
        let (handler, mut signals) = timing_handler();
        let worker = start(quick(&store).poll(HOUR).handle("any", handler));
        let delay = Duration::from_millis(150);
        let later = Task::new("any", &()).after(2 * delay);
        store.submit(later).await.unwrap();
        let began = Instant::now();
        let sooner = Task::new("any", &()).after(delay);
        store.submit(sooner).await.unwrap();
        assert!(signals.next().await - began >= delay - Duration::from_millis(2));
        signals.next().await;
        worker.stop().await;
    })
    .await;
}

/// D10, D11: run now and resume wake a worker, too.
#[tokio::test(flavor = "multi_thread")]
async fn run_now_and_resume_wake_an_idle_worker() {
    on_each(async |store| {
        let (handler, mut signals) = timing_handler();
        let by = Actor::new("test");
        let worker = start(quick(&store).poll(HOUR).handle("any", handler));
        let id = store.submit(Task::new("any", &()).after(HOUR)).await.unwrap().id;
        store.run_now(id, &by).await.unwrap();
        signals.next().await;

        store.pause("default", &by).await.unwrap();
        store.submit(Task::new("any", &())).await.unwrap();
        store.resume("default", &by).await.unwrap();
        signals.next().await;
        worker.stop().await;
    })
    .await;
}

/// D11: the poll finds tasks without a notification, due now or later.
#[tokio::test(flavor = "multi_thread")]
async fn poll_finds_tasks_without_a_notification() {
    on_each_engine(async |engine| {
        let (_, without_notifications) = FaultyEngine::new(engine.clone()).without_wakes().store();
        let (handler, mut signals) = timing_handler();
        let worker = start(
            quick(&without_notifications).poll(Duration::from_millis(50)).handle("any", handler),
        );
        let store = Store::with_engine(engine);
        let later = Task::new("any", &()).after(Duration::from_millis(20));
        store.submit_all(vec![Task::new("any", &()), later]).await.unwrap();
        signals.some(2).await;
        worker.stop().await;
    })
    .await;
}
