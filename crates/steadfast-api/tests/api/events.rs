//! Events and breakers (O1, G1).

use steadfast::Policy;
use steadfast::observe::{Event, EventType, Subject};
use steadfast_api::{Api, EventFilter, EventsFrom};
use steadfast_store::{BreakerCommand, Record};

use crate::{World, world};

async fn record(world: &World, operations: &[&str]) {
    let policy = Policy::immediate().id("calls").build().unwrap();
    let to_record = |operation: &&str| {
        let subject = Subject::of(&policy, *operation, "s", None, "test");
        let now = jiff::Timestamp::UNIX_EPOCH;
        Record::try_from(&Event::new(EventType::RetryAttempt, now, &subject)).unwrap()
    };
    world.store.record(&operations.iter().map(to_record).collect::<Vec<_>>()).await.unwrap();
}

async fn operations(world: &World, only: Option<&str>, from: EventsFrom) -> (Vec<String>, i64) {
    let filter = EventFilter { operation: only.map(str::to_owned), ..EventFilter::default() };
    let events = world.api.events(&filter, from, 2).await.unwrap();
    (events.items.into_iter().map(|view| view.event.operation).collect(), events.last)
}

/// O1: a list continues after the last number, also past events that do not match.
#[tokio::test]
async fn events_continue_after_last_number() {
    let world = world().await;
    record(&world, &["a", "b", "c"]).await;
    let (latest, last) = operations(&world, None, EventsFrom::Latest).await;
    assert_eq!(latest, ["b", "c"]);
    record(&world, &["d", "e", "f"]).await;
    let (next, last) = operations(&world, None, EventsFrom::After(last)).await;
    assert_eq!(next, ["d", "e"]);
    assert_eq!(operations(&world, Some("a"), EventsFrom::Latest).await.0, ["a"]);
    let (none, end) = operations(&world, Some("a"), EventsFrom::After(last)).await;
    assert!(none.is_empty() && end > last);
    assert_eq!(operations(&world, None, EventsFrom::After(end)).await, (Vec::new(), end));
}

/// O1: an event is a flat document with its number, and is read as it was serialized.
#[tokio::test]
async fn event_is_a_flat_document() {
    let world = world().await;
    record(&world, &["a"]).await;
    let filter = EventFilter::default();
    let events = world.api.events(&filter, EventsFrom::Latest, 1).await.unwrap();
    let json = serde_json::to_value(&events).unwrap();
    assert_eq!(json["items"][0]["operation"], "a");
    assert_eq!(json["items"][0]["number"], json["last"]);
    assert_eq!(serde_json::from_value::<steadfast_api::Events>(json).unwrap(), events);
}

/// G1, K3: a command is listed with its actor, also if no instance has the breaker.
#[tokio::test]
async fn breaker_command_is_listed_with_actor() {
    let world = world().await;
    world.api.override_breaker("calls", BreakerCommand::Isolate).await.unwrap();
    let breakers = world.api.breakers().await.unwrap();
    assert_eq!((breakers[0].policy.as_str(), breakers[0].instances.len()), ("calls", 0));
    let last = breakers[0].last_override.as_ref().unwrap();
    assert_eq!((last.command, last.actor.name.as_str()), (BreakerCommand::Isolate, "ada"));
    let error = world.api.override_breaker("", BreakerCommand::Open).await.unwrap_err();
    assert_eq!((error.status, error.field.as_deref()), (400, Some("policy")));
}
