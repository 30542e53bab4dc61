//! Cancelling a running task (D10): its handler is told, and its last word is refused.

use std::future::pending;

use steadfast::Fault;
use steadfast_store::{Actor, Status, Store, Task};
use steadfast_worker::Context;
use tokio::sync::mpsc::UnboundedSender;

use crate::stores::{on_each, on_each_engine};
use crate::workers::{quick, signals, start};
use crate::wrapped::Wrapped;

type Told = UnboundedSender<&'static str>;

/// Says when it begins and when it is told to stop.
async fn listens(told: Told, context: Context) -> Result<&'static str, Fault> {
    told.send("began").unwrap();
    context.cancelled().await;
    told.send("was told").unwrap();
    Ok("done all the same")
}

/// D10: a handler that listens hears of it at once, and what it says then does not count.
#[tokio::test(flavor = "multi_thread")]
async fn a_running_task_that_is_cancelled_is_told() {
    on_each(async |store| {
        let (told, mut heard) = signals();
        let handler = move |(): (), context| listens(told.clone(), context);
        let worker = start(quick(&store).handle("any", handler));
        let id = store.submit(Task::new("any", &())).await.unwrap().id;
        assert_eq!(heard.next().await, "began");
        store.cancel(id, &Actor::new("test")).await.unwrap();
        assert_eq!(heard.next().await, "was told");
        worker.stop().await;
        let task = store.task(id).await.unwrap();
        assert_eq!((task.status, task.result), (Status::Cancelled, None));
    })
    .await;
}

/// D10: should nobody wake the worker, its heartbeat tells.
#[tokio::test(flavor = "multi_thread")]
async fn a_worker_that_nobody_wakes_hears_of_it_by_its_heartbeat() {
    on_each_engine(async |engine| {
        let (_, store) = Wrapped::around(engine.clone()).without_wakes().store();
        let (told, mut heard) = signals();
        let handler = move |(): (), context| listens(told.clone(), context);
        let worker = start(quick(&store).handle("any", handler));
        let elsewhere = Store::on(engine);
        let id = elsewhere.submit(Task::new("any", &())).await.unwrap().id;
        assert_eq!(heard.next().await, "began");
        elsewhere.cancel(id, &Actor::new("test")).await.unwrap();
        assert_eq!(heard.next().await, "was told");
        worker.stop().await;
        assert_eq!(elsewhere.task(id).await.unwrap().status, Status::Cancelled);
    })
    .await;
}

/// Says when it is dropped.
struct Dropped(Told);

impl Drop for Dropped {
    fn drop(&mut self) {
        self.0.send("was dropped").unwrap();
    }
}

/// D10: a handler that does not listen is dropped where it waits.
#[tokio::test(flavor = "multi_thread")]
async fn a_handler_that_does_not_listen_is_dropped() {
    on_each(async |store| {
        let (told, mut heard) = signals();
        let handler = move |(): ()| {
            let told = told.clone();
            async move {
                let _dropped = Dropped(told.clone());
                told.send("began").unwrap();
                pending::<Result<(), Fault>>().await
            }
        };
        let worker = start(quick(&store).handle("any", handler));
        let id = store.submit(Task::new("any", &())).await.unwrap().id;
        assert_eq!(heard.next().await, "began");
        store.cancel(id, &Actor::new("test")).await.unwrap();
        assert_eq!(heard.next().await, "was dropped");
        worker.stop().await;
        assert_eq!(store.task(id).await.unwrap().status, Status::Cancelled);
    })
    .await;
}
