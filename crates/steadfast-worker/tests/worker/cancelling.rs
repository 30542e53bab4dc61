//! Cancellation of a running task (D10): its handler is cancelled, and its settlement rejected.

use std::future::pending;

use steadfast::Fault;
use steadfast_store::{Actor, Status, Store, Task};
use steadfast_worker::Context;
use tokio::sync::mpsc::UnboundedSender;

use crate::faulty_engine::FaultyEngine;
use crate::stores::{on_each, on_each_engine};
use crate::workers::{quick, signal_channel, start};

type Signal = UnboundedSender<&'static str>;

/// Signals its start and its cancellation.
async fn await_cancellation(signal: Signal, context: Context) -> Result<&'static str, Fault> {
    signal.send("started").unwrap();
    context.cancelled().await;
    signal.send("cancelled").unwrap();
    Ok("done all the same")
}

/// D10: a handler that awaits cancellation is cancelled at once, and its result does not count.
#[tokio::test(flavor = "multi_thread")]
async fn cancelled_running_task_cancels_its_handler() {
    on_each(async |store| {
        let (signal, mut signals) = signal_channel();
        let handler = move |(): (), context| await_cancellation(signal.clone(), context);
        let worker = start(quick(&store).handle("any", handler));
        let id = store.submit(Task::new("any", &())).await.unwrap().id;
        assert_eq!(signals.next().await, "started");
        store.cancel(id, &Actor::new("test")).await.unwrap();
        assert_eq!(signals.next().await, "cancelled");
        worker.stop().await;
        let task = store.task(id).await.unwrap();
        assert_eq!((task.status, task.result), (Status::Cancelled, None));
    })
    .await;
}

/// D10: without a notification the heartbeat finds the cancellation.
#[tokio::test(flavor = "multi_thread")]
async fn cancellation_without_notification_is_found_by_the_heartbeat() {
    on_each_engine(async |engine| {
        let (_, store) = FaultyEngine::new(engine.clone()).without_wakes().store();
        let (signal, mut signals) = signal_channel();
        let handler = move |(): (), context| await_cancellation(signal.clone(), context);
        let worker = start(quick(&store).handle("any", handler));
        let elsewhere = Store::with_engine(engine);
        let id = elsewhere.submit(Task::new("any", &())).await.unwrap().id;
        assert_eq!(signals.next().await, "started");
        elsewhere.cancel(id, &Actor::new("test")).await.unwrap();
        assert_eq!(signals.next().await, "cancelled");
        worker.stop().await;
        assert_eq!(elsewhere.task(id).await.unwrap().status, Status::Cancelled);
    })
    .await;
}

/// Signals its drop.
struct Dropped(Signal);

impl Drop for Dropped {
    fn drop(&mut self) {
        self.0.send("dropped").unwrap();
    }
}

/// D10: a handler that does not await cancellation is dropped.
#[tokio::test(flavor = "multi_thread")]
async fn handler_that_ignores_cancellation_is_dropped() {
    on_each(async |store| {
        let (signal, mut signals) = signal_channel();
        let handler = move |(): ()| {
            let signal = signal.clone();
            async move {
                let _dropped = Dropped(signal.clone());
                signal.send("started").unwrap();
                pending::<Result<(), Fault>>().await
            }
        };
        let worker = start(quick(&store).handle("any", handler));
        let id = store.submit(Task::new("any", &())).await.unwrap().id;
        assert_eq!(signals.next().await, "started");
        store.cancel(id, &Actor::new("test")).await.unwrap();
        assert_eq!(signals.next().await, "dropped");
        worker.stop().await;
        assert_eq!(store.task(id).await.unwrap().status, Status::Cancelled);
    })
    .await;
}
