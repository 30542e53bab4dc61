//! How a worker learns that there is something to do (D11). The poll of these workers takes an
//! hour, so whatever starts was started by what the test is about.

use std::time::{Duration, Instant};

use steadfast::Fault;
use steadfast_store::{Actor, Store, Task};
use steadfast_worker::Handler;

use crate::stores::{on_each, on_each_engine};
use crate::workers::{Heard, quick, signals, start};
use crate::wrapped::Wrapped;

const HOUR: Duration = Duration::from_secs(3600);

fn says_when() -> (impl Handler<((),)>, Heard<Instant>) {
    let (told, heard) = signals();
    let handler = move |(): ()| {
        told.send(Instant::now()).unwrap();
        async { Ok::<_, Fault>(()) }
    };
    (handler, heard)
}

/// D11: a submission wakes an idle worker.
#[tokio::test(flavor = "multi_thread")]
async fn a_submission_wakes_an_idle_worker() {
    on_each(async |store| {
        let (handler, mut heard) = says_when();
        let worker = start(quick(&store).poll(HOUR).handle("any", handler));
        for _ in 0..20 {
            store.submit(Task::new("any", &())).await.unwrap();
            heard.next().await;
        }
        worker.stop().await;
    })
    .await;
}

/// D11: a task that is scheduled starts when it is due, and not before.
#[tokio::test(flavor = "multi_thread")]
async fn a_scheduled_task_starts_when_it_is_due() {
    on_each(async |store| {
        let (handler, mut heard) = says_when();
        let worker = start(quick(&store).poll(HOUR).handle("any", handler));
        let delay = Duration::from_millis(150);
        let later = Task::new("any", &()).after(2 * delay);
        store.submit(later).await.unwrap();
        let began = Instant::now();
        let sooner = Task::new("any", &()).after(delay);
        store.submit(sooner).await.unwrap();
        assert!(heard.next().await - began >= delay - Duration::from_millis(2));
        heard.next().await;
        worker.stop().await;
    })
    .await;
}

/// D10, D11: running a task now and letting a queue go on wake a worker, too.
#[tokio::test(flavor = "multi_thread")]
async fn steering_wakes_an_idle_worker() {
    on_each(async |store| {
        let (handler, mut heard) = says_when();
        let by = Actor::new("test");
        let worker = start(quick(&store).poll(HOUR).handle("any", handler));
        let id = store.submit(Task::new("any", &()).after(HOUR)).await.unwrap().id;
        store.run_now(id, &by).await.unwrap();
        heard.next().await;

        store.pause("default", &by).await.unwrap();
        store.submit(Task::new("any", &())).await.unwrap();
        store.resume("default", &by).await.unwrap();
        heard.next().await;
        worker.stop().await;
    })
    .await;
}

/// D11: the slow poll finds what nobody told of, due now or later.
#[tokio::test(flavor = "multi_thread")]
async fn the_poll_finds_what_nobody_told_of() {
    on_each_engine(async |engine| {
        let (_, deaf) = Wrapped::around(engine.clone()).without_wakes().store();
        let (handler, mut heard) = says_when();
        let worker = start(quick(&deaf).poll(Duration::from_millis(50)).handle("any", handler));
        let store = Store::on(engine);
        let later = Task::new("any", &()).after(Duration::from_millis(20));
        store.submit_all(vec![Task::new("any", &()), later]).await.unwrap();
        heard.some(2).await;
        worker.stop().await;
    })
    .await;
}
