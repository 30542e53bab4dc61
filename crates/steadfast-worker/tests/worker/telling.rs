//! Events of tasks (O1), kept in the store for whoever looks.

use std::time::Duration;

use serde_json::Value;
use steadfast::observe::EventType;
use steadfast::{Fault, Policy, observe};
use steadfast_store::{RecordKind, Store, Task, TaskId};
use steadfast_worker::Context;

use crate::stores::{eventually, on_each};
use crate::workers::{quick, signals, start};

async fn events(store: &Store) -> Vec<observe::Event> {
    let records = store.records_after(RecordKind::Event, 0, 1000).await.unwrap();
    records.into_iter().map(|record| serde_json::from_value(record.body).unwrap()).collect()
}

/// What was told of one task, in order.
async fn told_of(store: &Store, id: TaskId) -> Vec<observe::Event> {
    let mut events = events(store).await;
    events.retain(|event| event.session_id == id.to_string());
    events
}

/// O1: a retry, with what led to it; the success after it; and nothing of a plain success.
#[tokio::test(flavor = "multi_thread")]
async fn what_is_tried_again_is_told() {
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

        let told = told_of(&store, id).await;
        let [retry, success] = told.as_slice() else { panic!("{told:?}") };
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
        assert_eq!(told_of(&store, plain).await, []);
    })
    .await;
}

/// O1: giving up, with its reason.
#[tokio::test(flavor = "multi_thread")]
async fn what_is_given_up_is_told_with_its_reason() {
    on_each(async |store| {
        let broken = async |(): ()| Err::<(), _>(Fault::http(404));
        let worker = start(quick(&store).handle("any", broken));
        let id = store.submit(Task::new("any", &())).await.unwrap().id;
        eventually(async || store.task(id).await.unwrap().status.is_ended()).await;
        worker.stop().await;
        let told = told_of(&store, id).await;
        let [failure] = told.as_slice() else { panic!("{told:?}") };
        assert_eq!(failure.event_type, EventType::RetryFailure);
        assert_eq!(failure.reason, Some(steadfast::Reason::Final));
        assert!(failure.error.is_some() && failure.why.is_some());
    })
    .await;
}

/// O1, D7: a lost lease is told beside what follows from it.
#[tokio::test(flavor = "multi_thread")]
async fn a_lost_lease_is_told() {
    on_each(async |store| {
        let (told, mut heard) = signals();
        let hangs = move |(): ()| {
            told.send(()).unwrap();
            std::future::pending::<Result<(), Fault>>()
        };
        let lost = start(quick(&store).name("lost").handle("any", hangs));
        let id = store.submit(Task::new("any", &())).await.unwrap().id;
        heard.next().await;
        lost.kill().await;
        let worker = start(quick(&store).handle("any", async |(): ()| Ok::<_, Fault>(())));
        eventually(async || store.task(id).await.unwrap().status.is_ended()).await;
        worker.stop().await;
        let types: Vec<_> =
            told_of(&store, id).await.iter().map(|event| event.event_type).collect();
        let expected = [EventType::LeaseLost, EventType::RetryAttempt, EventType::RetrySuccess];
        assert_eq!(types, expected);
    })
    .await;
}

/// O1: whoever does not want to hear of it hears nothing.
#[tokio::test(flavor = "multi_thread")]
async fn nothing_is_told_to_who_does_not_want_it() {
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
