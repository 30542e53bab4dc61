//! Leases: kept alive, lost, and taken over (D4, D7).

use std::future::pending;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use steadfast::{Class, Fault, Kind, Policy, Reason};
use steadfast_store::{Status, Store, Task};
use steadfast_worker::{Context, Maintenance};
use tokio::sync::Notify;

use crate::stores::{on_each, on_each_engine, until};
use crate::workers::{quick, signals, start};
use crate::wrapped::Wrapped;

/// D7: a heartbeat keeps a lease alive for as long as its task takes.
#[tokio::test(flavor = "multi_thread")]
async fn a_task_that_outlasts_its_lease_stays_with_its_worker() {
    on_each_engine(async |engine| {
        let (wrapped, store) = Wrapped::around(engine.clone()).store();
        let beats = wrapped.clone();
        let handler = move |(): ()| {
            let wrapped = beats.clone();
            async move {
                // Ten heartbeats of a third of a lease each.
                while wrapped.heartbeats.load(Ordering::SeqCst) < 10 {
                    wrapped.heartbeat.notified().await;
                }
                Ok::<_, Fault>(())
            }
        };
        let worker = start(quick(&store).handle("any", handler));
        let idle = async |(): ()| Ok::<_, Fault>(());
        let other = start(quick(&Store::on(engine)).queues(["other"]).handle("any", idle));
        let id = store.submit(Task::new("any", &())).await.unwrap().id;
        let task = until(&store, id, Status::Completed).await;
        assert_eq!((task.attempts, task.faults.len()), (1, 0));
        worker.stop().await;
        other.stop().await;
    })
    .await;
}

/// D4, D7: whose heartbeat does not arrive loses its task to another worker, and its last word is
/// refused.
#[tokio::test(flavor = "multi_thread")]
async fn a_worker_that_was_cut_off_loses_its_tasks() {
    on_each_engine(async |engine| {
        let (wrapped, cut_off) = Wrapped::around(engine.clone()).store();
        wrapped.hears_heartbeats(false);
        let (told, mut heard) = signals();
        let is_taken_over = Arc::new(Notify::new());
        let taken_over = is_taken_over.clone();
        let handler = move |(): (), context: Context| {
            let (told, taken_over) = (told.clone(), taken_over.clone());
            async move {
                told.send("began").unwrap();
                context.cancelled().await;
                told.send("was told").unwrap();
                taken_over.notified().await;
                Ok::<_, Fault>("too late")
            }
        };
        let slow = start(quick(&cut_off).name("slow").concurrency(1).handle("any", handler));
        let store = Store::on(engine);
        let policy = Policy::immediate().build().unwrap();
        let id = store.submit(Task::new("any", &()).under(policy)).await.unwrap().id;
        assert_eq!(heard.next().await, "began");

        let done = async |(): ()| Ok::<_, Fault>("in time");
        let other = start(quick(&store).name("other").handle("any", done));
        until(&store, id, Status::Completed).await;
        is_taken_over.notify_one();
        wrapped.hears_heartbeats(true);
        assert_eq!(heard.next().await, "was told");
        slow.stop().await;
        other.stop().await;
        let task = store.task(id).await.unwrap();
        assert_eq!((task.attempts, task.result), (2, Some("in time".into())));
        let fault = &task.faults[0];
        assert_eq!((fault.attempt, fault.class), (1, Class::UnknownOutcome));
        assert_eq!(fault.fault.kind, Some(Kind::WorkerLost));
        assert!(fault.message.contains("worker `slow` was lost"), "{}", fault.message);
    })
    .await;
}

/// D7: whoever cannot renew a lease stops when it is over, though nobody tells.
#[tokio::test(flavor = "multi_thread")]
async fn a_worker_that_cannot_renew_its_lease_stops_when_it_is_over() {
    on_each_engine(async |engine| {
        let (wrapped, store) = Wrapped::around(engine).store();
        wrapped.hears_heartbeats(false);
        let (told, mut heard) = signals();
        let handler = move |(): (), context: Context| {
            let told = told.clone();
            async move {
                context.cancelled().await;
                told.send(()).unwrap();
                Ok::<_, Fault>(())
            }
        };
        let worker = quick(&store).maintenance(Maintenance::off());
        let worker = start(worker.handle("any", handler));
        store.submit(Task::new("any", &())).await.unwrap();
        heard.next().await;
        wrapped.hears_heartbeats(true);
        worker.stop().await;
    })
    .await;
}

/// D7: a task that kills its worker ends as failed, not as an endless loop.
#[tokio::test(flavor = "multi_thread")]
async fn a_task_that_kills_every_worker_ends_as_failed() {
    on_each(async |store| {
        let (told, mut heard) = signals();
        let handler = move |(): ()| {
            told.send(()).unwrap();
            pending::<Result<(), Fault>>()
        };
        let policy = Policy::immediate().max_attempts(2).build().unwrap();
        let id = store.submit(Task::new("any", &()).under(policy)).await.unwrap().id;
        for victim in ["first", "second"] {
            let worker = start(quick(&store).name(victim).handle("any", handler.clone()));
            heard.next().await;
            worker.kill().await;
        }
        let last = start(quick(&store).handle("any", handler));
        let task = until(&store, id, Status::Failed).await;
        last.stop().await;
        assert_eq!((task.attempts, task.reason), (2, Some(Reason::AttemptsExhausted)));
        for (fault, victim) in task.faults.iter().zip(["first", "second"]) {
            assert!(fault.message.contains(&format!("worker `{victim}`")), "{}", fault.message);
        }
        assert!(heard.rest().is_empty(), "nobody tried it a third time");
    })
    .await;
}

/// J9: a lost attempt may have taken effect, so what is not safe to repeat is not repeated.
#[tokio::test(flavor = "multi_thread")]
async fn a_lost_task_that_is_not_safe_to_repeat_is_not_repeated() {
    on_each(async |store| {
        let (told, mut heard) = signals();
        let handler = move |(): ()| {
            told.send(()).unwrap();
            pending::<Result<(), Fault>>()
        };
        let worker = start(quick(&store).handle("any", handler.clone()));
        let policy = Policy::immediate().idempotent(false).build().unwrap();
        let id = store.submit(Task::new("any", &()).under(policy)).await.unwrap().id;
        heard.next().await;
        worker.kill().await;
        let other = start(quick(&store).handle("any", handler));
        let task = until(&store, id, Status::Failed).await;
        other.stop().await;
        assert_eq!(task.reason, Some(Reason::NotSafeToRetry));
    })
    .await;
}

/// D7: what a killed worker had claimed comes back, begun or not.
#[tokio::test(flavor = "multi_thread")]
async fn everything_that_a_killed_worker_held_comes_back() {
    on_each(async |store| {
        let (told, mut heard) = signals();
        let stuck = move |(): ()| {
            told.send(()).unwrap();
            pending::<Result<(), Fault>>()
        };
        let policy = Policy::fixed(Duration::from_millis(1)).build().unwrap();
        let tasks = (0..20).map(|_| Task::new("any", &()).under(policy.clone()));
        store.submit_all(tasks.collect()).await.unwrap();
        let worker = start(quick(&store).concurrency(20).handle("any", stuck));
        heard.some(20).await;
        worker.kill().await;
        let (told, mut heard) = signals();
        let done = move |(): ()| {
            told.send(()).unwrap();
            async { Ok::<_, Fault>(()) }
        };
        let worker = start(quick(&store).handle("any", done));
        heard.some(20).await;
        worker.stop().await;
        assert_eq!(store.stats().await.unwrap().completed, 20);
    })
    .await;
}
