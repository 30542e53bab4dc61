//! Recorded sessions (O1, H1), on both stores.

use serde_json::{Value, json};
use steadfast::observe::{Recorder, Session};
use steadfast::{CancelHandle, Policy, retry};
use steadfast_server::Server;
use steadfast_store::{Store, StoreSink};

use crate::stores::cases;
use crate::{World, world_on};

cases! {
    recorded_sessions_are_listed_with_attempts,
    recorded_sessions_are_filtered,
    recorded_sessions_are_paged,
    invalid_session_filter_is_rejected_with_suggestion,
}

/// Records sessions that succeed at once, give up and are cancelled.
pub(crate) async fn record(world: &World) {
    let (sink, writer) = StoreSink::new(world.store.clone());
    let recorder = || Recorder::new(&sink).correlation_id("request-7");
    let policy = |id: &str| Policy::immediate().id(id).max_attempts(2).build().unwrap();
    let down = || Err::<(), _>(std::io::Error::from(std::io::ErrorKind::ConnectionRefused));
    let (calls, saves) = (policy("calls"), policy("saves"));
    let fine = || Ok::<_, std::io::Error>(());
    retry(&saves, fine).named("browser.save").instrument(recorder()).call().unwrap();
    retry(&calls, down).named("shop.pay").instrument(recorder()).call().unwrap_err();
    let handle = CancelHandle::new();
    let cancelled = || {
        handle.cancel();
        down()
    };
    let call = retry(&calls, cancelled).named("shop.pay").cancel_with(&handle);
    call.instrument(recorder()).call().unwrap_err();
    drop(sink);
    writer.run().await;
}

async fn operations(world: &World, query: &str) -> Vec<String> {
    let page = world.get(&format!("/sessions{query}")).await.good();
    let items = page["items"].as_array().unwrap().iter();
    items.map(|item| item["operation"].as_str().unwrap().to_owned()).collect()
}

/// O1: newest first, each with its attempts and decisions.
async fn recorded_sessions_are_listed_with_attempts(store: Store) {
    let world = world_on(store, Server::without_worker).await;
    record(&world).await;
    let page = world.get("/sessions").await.good();
    assert_eq!(page["next"], Value::Null);
    let sessions = page["items"].as_array().unwrap();
    let reasons: Vec<_> = sessions.iter().map(|session| &session["reason"]).collect();
    assert_eq!(reasons, [&json!("cancelled"), &json!("attempts_exhausted"), &Value::Null]);
    let failed = &sessions[1];
    assert_eq!((&failed["total_attempts"], &failed["retry_count"]), (&json!(2), &json!(1)));
    assert!(failed["total_duration"].is_number());
    assert_eq!(failed["attempts"][0]["class"], "retryable");
    assert!(failed["attempts"][1]["why"]["sentence"].as_str().unwrap().contains("max_attempts 2"));
    for session in sessions {
        serde_json::from_value::<Session>(session.clone()).unwrap();
    }
}

/// H1: every filter parameter works.
async fn recorded_sessions_are_filtered(store: Store) {
    let world = world_on(store, Server::without_worker).await;
    record(&world).await;
    for (query, expected) in [
        ("?policy=saves", &["browser.save"][..]),
        ("?operation=shop.pay", &["shop.pay", "shop.pay"]),
        ("?outcome=success", &["browser.save"]),
        ("?outcome=failure", &["shop.pay"]),
        ("?outcome=cancelled&policy=calls", &["shop.pay"]),
        ("?outcome=cancelled&policy=saves", &[]),
        ("?correlation_id=request-7&limit=1", &["shop.pay"]),
        ("?correlation_id=request-8", &[]),
        ("?since=2020-01-01T00:00:00Z&policy=saves", &["browser.save"]),
        ("?since=2120-01-01T00:00:00Z", &[]),
    ] {
        assert_eq!(operations(&world, query).await, expected, "{query}");
    }
}

/// H1: each session once, page by page, with any filter.
async fn recorded_sessions_are_paged(store: Store) {
    let world = world_on(store, Server::without_worker).await;
    for _ in 0..3 {
        record(&world).await;
    }
    let (mut seen, mut query) = (0, String::new());
    loop {
        let page = world.get(&format!("/sessions?outcome=failure&limit=2{query}")).await.good();
        seen += page["items"].as_array().unwrap().len();
        let Some(next) = page["next"].as_str() else { break };
        query = format!("&after={next}");
    }
    assert_eq!(seen, 3);
}

/// K4: a near miss gets a suggestion.
async fn invalid_session_filter_is_rejected_with_suggestion(store: Store) {
    let world = world_on(store, Server::without_worker).await;
    let problem = world.get("/sessions?polcy=a").await.problem(400);
    assert_eq!(problem["next"], "did you mean `policy`?");
    for (query, field) in [("since=monday", "since"), ("outcome=sucess", "outcome")] {
        let rejected = world.get(&format!("/sessions?{query}")).await;
        assert_eq!((rejected.status.as_u16(), &rejected.body["field"]), (400, &json!(field)));
    }
    assert_eq!(world.get("/sessions?after=x").await.status, 400);
}
