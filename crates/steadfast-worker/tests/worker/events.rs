//! Task events in the store (O1).

use std::time::Duration;

use serde_json::Value;
use steadfast::observe::EventType;
use steadfast::{Fault, Policy, observe};
use steadfast_store::{RecordKind, Store, Task, TaskId};
use steadfast_worker::Context;

use crate::stores::{eventually, on_each};
use crate::workers::{quick, signal_channel, start};

async fn events(store: &Store) -> Vec<observe::Event> {
    let records = store.records_after(RecordKind::Event, 0, 1000).await.unwrap();
    records.into_iter().map(|record| serde_json::from_value(record.body).unwrap()).collect()
}

/// The events of one task, in order.
async fn events_of(store: &Store, id: TaskId) -> Vec<observe::Event> {
    let mut events = events(store).await;
    events.retain(|event| event.session_id == id.to_string());
    events
}

/// O1: a retry and the success after it are events; a first-attempt success is not.
#[tokio::test(flavor = "multi_thread")]
async fn retried_task_has_retry_and_success_events() {
    on_each(async |store| {
        let flaky = async |plain: bool, context: Context| match context.attempt() {
            1 if !plain => Err(Fault::http(503).with_message("token=hunter2 is away")),
            _ => Ok(()),
        };
        let worker = start(quick(&store).handle("any", flaky));
        let policy = Policy::fixed(Duration::from_millis(20)).id("flaky").max_attempts(3);
        let policy = policy.build().unwrap();
        let task = Task::new("any", &false).under(policy).correlation_id("order-7");
        let id = store.submit(task).await.unwrap().id;
        let plain = store.submit(Task::new("any", &true)).await.unwrap().id;
        eventually(async || store.stats().await.unwrap().completed == 2).await;
        worker.stop().await;

        let events = events_of(&store, id).await;
        let [retry, success] = events.as_slice() else { panic!("{events:?}") };
        assert_eq!(retry.event_type, EventType::RetryAttempt);
        assert_eq!((retry.attempt, retry.max_attempts), (Some(2), Some(3)));
        assert_eq!(retry.delay, Some(Duration::from_millis(20)));
        assert_eq!((&*retry.policy_id, &*retry.operation), ("flaky", "any"));
        assert_eq!(retry.correlation_id, "order-7");
        assert!(retry.why.is_some());
        let context = retry.context.as_ref().unwrap();
        assert_eq!(context["queue"], Value::from("default"));
        let last_error = context["last_error"].as_str().unwrap();
        assert!(last_error.contains("away") && !last_error.contains("hunter2"), "{last_error}");
        assert_eq!((success.event_type, success.attempt), (EventType::RetrySuccess, Some(2)));
        assert_eq!(events_of(&store, plain).await, []);
    })
    .await;
}

/// O1: a failure is an event with its reason.
#[tokio::test(flavor = "multi_thread")]
async fn failed_task_has_an_event_with_its_reason() {
    on_each(async |store| {
        let broken = async |(): ()| Err::<(), _>(Fault::http(404));
        let worker = start(quick(&store).handle("any", broken));
        let id = store.submit(Task::new("any", &())).await.unwrap().id;
        eventually(async || store.task(id).await.unwrap().status.is_ended()).await;
        worker.stop().await;
        let events = events_of(&store, id).await;
        let [failure] = events.as_slice() else { panic!("{events:?}") };
        assert_eq!(failure.event_type, EventType::RetryFailure);
        assert_eq!(failure.reason, Some(steadfast::Reason::Final));
        assert!(failure.error.is_some() && failure.why.is_some());
    })
    .await;
}

/// O1, D7: a lost lease is an event before the retry that follows.
#[tokio::test(flavor = "multi_thread")]
async fn lost_lease_has_an_event() {
    on_each(async |store| {
        let (signal, mut signals) = signal_channel();
        let hangs = move |(): ()| {
            signal.send(()).unwrap();
            std::future::pending::<Result<(), Fault>>()
        };
        let lost = start(quick(&store).name("lost").handle("any", hangs));
        let id = store.submit(Task::new("any", &())).await.unwrap().id;
        signals.next().await;
        lost.kill().await;
        let worker = start(quick(&store).handle("any", async |(): ()| Ok::<_, Fault>(())));
        eventually(async || store.task(id).await.unwrap().status.is_ended()).await;
        worker.stop().await;
        let types: Vec<_> =
            events_of(&store, id).await.iter().map(|event| event.event_type).collect();
        let expected = [EventType::LeaseLost, EventType::RetryAttempt, EventType::RetrySuccess];
        assert_eq!(types, expected);
    })
    .await;
}

/// O1: no events are stored when they are disabled.
#[tokio::test(flavor = "multi_thread")]
async fn disabled_events_are_not_stored() {
    on_each(async |store| {
        let broken = async |(): ()| Err::<(), _>(Fault::http(404));
        let worker = start(quick(&store).events(false).handle("any", broken));
        let id = store.submit(Task::new("any", &())).await.unwrap().id;
        eventually(async || store.task(id).await.unwrap().status.is_ended()).await;
        worker.stop().await;
        assert_eq!(events(&store).await, []);
    })
    .await;
}
