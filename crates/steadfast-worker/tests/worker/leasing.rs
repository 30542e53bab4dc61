//! Leases: renewed, expired and reclaimed (D4, D7).

use std::future::pending;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use steadfast::{Class, Fault, Kind, Policy, Reason};
use steadfast_store::{Status, Store, Task};
use steadfast_worker::{Context, Maintenance};
use tokio::sync::Notify;

use crate::faulty_engine::FaultyEngine;
use crate::stores::{on_each, on_each_engine, until};
use crate::workers::{quick, signal_channel, start};

/// D7: heartbeats renew a lease for as long as its task runs.
#[tokio::test(flavor = "multi_thread")]
async fn task_longer_than_its_lease_keeps_its_worker() {
    on_each_engine(async |engine| {
        let (faulty, store) = FaultyEngine::new(engine.clone()).store();
        let beats = faulty.clone();
        let handler = move |(): ()| {
            let faulty = beats.clone();
            async move {
                // Ten heartbeats of a third of a lease each.
                while faulty.heartbeats.load(Ordering::SeqCst) < 10 {
                    faulty.heartbeat.notified().await;
                }
                Ok::<_, Fault>(())
            }
        };
        let worker = start(quick(&store).handle("any", handler));
        let idle = async |(): ()| Ok::<_, Fault>(());
        let other = start(quick(&Store::with_engine(engine)).queues(["other"]).handle("any", idle));
        let id = store.submit(Task::new("any", &())).await.unwrap().id;
        let task = until(&store, id, Status::Completed).await;
        assert_eq!((task.attempts, task.faults.len()), (1, 0));
        worker.stop().await;
        other.stop().await;
    })
    .await;
}

/// D4, D7: a worker whose heartbeats do not arrive loses its task to another one, and its
/// settlement is rejected.
#[tokio::test(flavor = "multi_thread")]
async fn worker_without_heartbeats_loses_its_tasks() {
    on_each_engine(async |engine| {
        let (faulty, cut_off) = FaultyEngine::new(engine.clone()).store();
        faulty.deliver_heartbeats(false);
        let (signal, mut signals) = signal_channel();
        let was_reclaimed = Arc::new(Notify::new());
        let reclaimed = was_reclaimed.clone();
        let handler = move |(): (), context: Context| {
            let (signal, reclaimed) = (signal.clone(), reclaimed.clone());
            async move {
                signal.send("started").unwrap();
                context.cancelled().await;
                signal.send("cancelled").unwrap();
                reclaimed.notified().await;
                Ok::<_, Fault>("too late")
            }
        };
        let slow = start(quick(&cut_off).name("slow").concurrency(1).handle("any", handler));
        let store = Store::with_engine(engine);
        let policy = Policy::immediate().build().unwrap();
        let id = store.submit(Task::new("any", &()).under(policy)).await.unwrap().id;
        assert_eq!(signals.next().await, "started");

        let done = async |(): ()| Ok::<_, Fault>("in time");
        let other = start(quick(&store).name("other").handle("any", done));
        until(&store, id, Status::Completed).await;
        was_reclaimed.notify_one();
        faulty.deliver_heartbeats(true);
        assert_eq!(signals.next().await, "cancelled");
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

/// D7: a worker that cannot renew a lease cancels its tasks when it expires.
#[tokio::test(flavor = "multi_thread")]
async fn expired_lease_cancels_its_tasks() {
    on_each_engine(async |engine| {
        let (faulty, store) = FaultyEngine::new(engine).store();
        faulty.deliver_heartbeats(false);
        let (signal, mut signals) = signal_channel();
        let handler = move |(): (), context: Context| {
            let signal = signal.clone();
            async move {
                context.cancelled().await;
                signal.send(()).unwrap();
                Ok::<_, Fault>(())
            }
        };
        let worker = quick(&store).maintenance(Maintenance::off());
        let worker = start(worker.handle("any", handler));
        store.submit(Task::new("any", &())).await.unwrap();
        signals.next().await;
        faulty.deliver_heartbeats(true);
        worker.stop().await;
    })
    .await;
}

/// D7: a task that kills its workers fails in the end.
#[tokio::test(flavor = "multi_thread")]
async fn task_that_kills_every_worker_fails() {
    on_each(async |store| {
        let (signal, mut signals) = signal_channel();
        let handler = move |(): ()| {
            signal.send(()).unwrap();
            pending::<Result<(), Fault>>()
        };
        let policy = Policy::immediate().max_attempts(2).build().unwrap();
        let id = store.submit(Task::new("any", &()).under(policy)).await.unwrap().id;
        for victim in ["first", "second"] {
            let worker = start(quick(&store).name(victim).handle("any", handler.clone()));
            signals.next().await;
            worker.kill().await;
        }
        let last = start(quick(&store).handle("any", handler));
        let task = until(&store, id, Status::Failed).await;
        last.stop().await;
        assert_eq!((task.attempts, task.reason), (2, Some(Reason::AttemptsExhausted)));
        for (fault, victim) in task.faults.iter().zip(["first", "second"]) {
            assert!(fault.message.contains(&format!("worker `{victim}`")), "{}", fault.message);
        }
        assert!(signals.rest().is_empty(), "no third attempt");
    })
    .await;
}

/// J9: a lost attempt may have taken effect, so an unsafe one is not repeated.
#[tokio::test(flavor = "multi_thread")]
async fn lost_task_that_is_unsafe_to_repeat_fails() {
    on_each(async |store| {
        let (signal, mut signals) = signal_channel();
        let handler = move |(): ()| {
            signal.send(()).unwrap();
            pending::<Result<(), Fault>>()
        };
        let worker = start(quick(&store).handle("any", handler.clone()));
        let policy = Policy::immediate().idempotent(false).build().unwrap();
        let id = store.submit(Task::new("any", &()).under(policy)).await.unwrap().id;
        signals.next().await;
        worker.kill().await;
        let other = start(quick(&store).handle("any", handler));
        let task = until(&store, id, Status::Failed).await;
        other.stop().await;
        assert_eq!(task.reason, Some(Reason::NotSafeToRetry));
    })
    .await;
}

/// D7: all tasks of a killed worker are reclaimed, started or not.
#[tokio::test(flavor = "multi_thread")]
async fn all_tasks_of_a_killed_worker_are_reclaimed() {
    on_each(async |store| {
        let (signal, mut signals) = signal_channel();
        let stuck = move |(): ()| {
            signal.send(()).unwrap();
            pending::<Result<(), Fault>>()
        };
        let policy = Policy::fixed(Duration::from_millis(1)).build().unwrap();
        let tasks = (0..20).map(|_| Task::new("any", &()).under(policy.clone()));
        store.submit_all(tasks.collect()).await.unwrap();
        let worker = start(quick(&store).concurrency(20).handle("any", stuck));
        signals.some(20).await;
        worker.kill().await;
        let (signal, mut signals) = signal_channel();
        let done = move |(): ()| {
            signal.send(()).unwrap();
            async { Ok::<_, Fault>(()) }
        };
        let worker = start(quick(&store).handle("any", done));
        signals.some(20).await;
        worker.stop().await;
        assert_eq!(store.stats().await.unwrap().completed, 20);
    })
    .await;
}
