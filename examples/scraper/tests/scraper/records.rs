//! O1: the records of the scraper, as S4's JSON: the names, the types, and every value that S4's examples
//! determine.

use std::cell::Cell;
use std::collections::BTreeSet;
use std::time::Duration;

use example_scraper::error::ScraperError;
use example_scraper::manager::RetryManager;
use jiff::{SignedDuration, Timestamp};
use serde_json::{Value, json};
use tokio::time::sleep;

use super::{Scene, answer};

/// An example of S4, as the library's own tests have it.
macro_rules! example {
    ($name:literal) => {
        include_str!(concat!("../../../../crates/steadfast/tests/observe_data/", $name))
    };
}

const SESSION: &str = example!("session.json");
const EVENT: &str = example!("event.json");
const METRICS: &str = example!("metrics.json");

fn value(json: &str) -> Value {
    serde_json::from_str(json).unwrap()
}

/// S4's example: an attempt of 30.5 s that times out, a delay of 1.5 s, one of 3.5 s that
/// succeeds.
async fn save_state() -> RetryManager {
    let set = |field: &'static str, value: &'static str| (field, value);
    let manager = Scene::with_old("").manager_with(|loader| {
        [set("base_delay", "1.5s"), set("jitter_type", "none")]
            .into_iter()
            .fold(loader, |loader, (field, value)| {
                loader.set("browser_state_timeout", field, value)
            })
    });
    let first = Cell::new(true);
    let attempt = async || {
        if first.replace(false) {
            sleep(Duration::from_millis(30_500)).await;
            return Err(ScraperError::timeout(Duration::from_secs(30)));
        }
        sleep(Duration::from_millis(3500)).await;
        Ok(json!({"state_id": "abc123", "saved": true}))
    };
    let record = manager.record().correlation_id("corr_abc123");
    let record = record.context("state_id", "abc123").context("user_id", "user123");
    let name = "browser.state_operations.timeout";
    manager.run("save_state", name, record, attempt).await.unwrap();
    manager
}

/// Moves all times of a record so that its session begins when S4's does.
fn at_noon(record: &mut Value, began: Timestamp) {
    match record {
        Value::Object(fields) => {
            for (name, field) in fields {
                if ["timestamp", "start_time", "end_time"].contains(&name.as_str()) {
                    *field = moved(field, began);
                }
                at_noon(field, began);
            }
        }
        Value::Array(items) => items.iter_mut().for_each(|item| at_noon(item, began)),
        _ => {}
    }
}

fn moved(time: &Value, began: Timestamp) -> Value {
    let noon: Timestamp = "2026-01-29T12:00:00Z".parse().unwrap();
    let time: Timestamp = time.as_str().unwrap().parse().unwrap();
    format!("{:.3}", noon + time.duration_since(began)).into()
}

fn take(record: &mut Value, field: &str) -> Value {
    record.as_object_mut().unwrap().remove(field).unwrap_or_else(|| panic!("no {field}"))
}

/// O1: the session of S4's example, field by field, with all additional fields.
#[tokio::test(start_paused = true)]
async fn session_equals_that_of_s4() {
    let manager = save_state().await;
    let session = &manager.journal.sessions()[0];
    let mut recorded = serde_json::to_value(session).unwrap();
    at_noon(&mut recorded, session.start_time);

    let mut expected = value(SESSION);
    assert!(!take(&mut recorded, "session_id").as_str().unwrap().is_empty());
    take(&mut expected, "session_id");
    assert_eq!(take(&mut recorded, "correlation_id"), "corr_abc123");
    // S4's operation does not name its subsystem.
    assert_eq!(take(&mut recorded, "subsystem"), "browser");
    // Derived, according to S4.
    assert_eq!(take(&mut recorded, "total_attempts"), 2);
    assert_eq!(take(&mut recorded, "total_duration"), 35.5);
    assert_eq!(take(&mut recorded, "retry_count"), 1);
    // O4: the reason, for the failed attempt.
    let failed = &mut recorded["attempts"][0];
    assert_eq!(take(failed, "class"), "retryable");
    assert_eq!(take(failed, "fault")["type"], "TimeoutError");
    assert_eq!(
        take(failed, "why")["sentence"],
        "rule `TimeoutError` (retry_on) makes it retryable; backoff for retry 1: 1.5s"
    );
    assert_eq!(recorded, expected);
}

/// O1: the event of S4's example, field by field; and the one that ends it.
#[tokio::test(start_paused = true)]
async fn events_equal_those_of_s4() {
    let manager = save_state().await;
    let session = &manager.journal.sessions()[0];
    let [retried, succeeded] = &manager.journal.events()[..] else { panic!("two events") };
    let mut recorded = serde_json::to_value(retried).unwrap();
    at_noon(&mut recorded, session.start_time);

    let mut expected = value(EVENT);
    assert!(take(&mut recorded, "event_id").as_str().unwrap().starts_with("evt_"));
    take(&mut expected, "event_id");
    expected["session_id"] = json!(session.session_id);
    // In the example only the session has it.
    expected["context"]["user_id"] = json!("user123");
    take(&mut recorded, "why");
    assert_eq!(recorded, expected);

    let succeeded = serde_json::to_value(succeeded).unwrap();
    assert_eq!(succeeded["event_type"], "retry_success");
    assert_eq!(succeeded["session_id"], recorded["session_id"]);
    assert_eq!((&succeeded["attempt"], &succeeded["max_attempts"]), (&json!(2), &json!(3)));
}

/// O1: a session that fails ends with S4's `final_error`, and an event that has it.
#[tokio::test(start_paused = true)]
async fn failed_session_ends_with_its_error() {
    let manager = Scene::with_old("").manager();
    let name = "navigation.route_adaptation.retry_with_delay";
    let busy = async || Err::<(), _>(answer(503, None));
    manager.run("navigation.visit", name, manager.record(), busy).await.unwrap_err();
    let session = serde_json::to_value(&manager.journal.sessions()[0]).unwrap();
    let error = json!({"type": "HttpError", "message": "the server answered 503"});
    assert_eq!((&session["success"], &session["final_error"]), (&json!(false), &error));
    assert_eq!((&session["total_attempts"], &session["retry_count"]), (&json!(3), &json!(2)));
    assert_eq!(session.get("final_result"), None);
    let event = serde_json::to_value(manager.journal.events().last()).unwrap();
    assert_eq!((&event["event_type"], &event["error"]), (&json!("retry_failure"), &error));
    assert_eq!(event["reason"], "attempts_exhausted");
}

/// O1: the metrics have S4's fields and no others, each of S4's type. The values of S4's example
/// do not add up (its subsystems have 957 successes of its 950), so they are those of sessions
/// that really ran.
#[tokio::test(start_paused = true)]
async fn metrics_have_the_fields_of_s4() {
    let manager = save_state().await;
    let jobs = [
        ("browser.open_tab", "browser.session_operations.default", 0),
        ("navigation.visit", "navigation.route_adaptation.retry_with_delay", 9),
        ("telemetry.batch", "telemetry.batch_processing.default", 4),
    ];
    for (operation, policy, failures) in jobs {
        let made = Cell::new(0);
        let attempt = async || {
            made.set(made.get() + 1);
            sleep(Duration::from_secs(1)).await;
            let busy = made.get() <= failures;
            if busy { Err(answer(503, None)) } else { Ok(()) }
        };
        let _ = manager.run(operation, policy, manager.record(), attempt).await;
    }
    let sessions = manager.journal.sessions();
    // Their clock jumped ahead.
    let until = Timestamp::now() + SignedDuration::from_hours(1);
    let mut metrics = serde_json::to_value(manager.figures(until)).unwrap();
    same_shape("metrics", &metrics, &value(METRICS));

    for end in ["time_window_start", "time_window_end"] {
        take(&mut metrics, end).as_str().unwrap().parse::<Timestamp>().unwrap();
    }
    let taken: f64 = sessions.iter().map(|s| s.total_duration().unwrap().as_secs_f64()).sum();
    let (total, average) =
        (take(&mut metrics, "total_duration"), take(&mut metrics, "average_duration_per_session"));
    assert!((total.as_f64().unwrap() - taken).abs() < 1e-6, "{total}, not {taken}");
    assert!((average.as_f64().unwrap() - taken / 4.0).abs() < 1e-6, "{average}");
    let share = |sessions, success_rate: f64, average_attempts: f64| json!({"sessions": sessions, "success_rate": success_rate, "average_attempts": average_attempts});
    let expected = json!({
        "total_sessions": 4,
        "successful_sessions": 3,
        "failed_sessions": 1,
        "total_attempts": 11,
        "average_attempts_per_session": 2.75,
        "max_attempts_in_session": 5,
        "by_policy": {
            "browser_state_timeout": share(1, 1.0, 2.0),
            "browser_session_default": share(1, 1.0, 1.0),
            "navigation_retry_with_delay": share(1, 0.0, 3.0),
            "telemetry_batch_processing": share(1, 1.0, 5.0),
        },
        "by_subsystem": {
            "browser": share(2, 1.0, 1.5),
            "navigation": share(1, 0.0, 3.0),
            "telemetry": share(1, 1.0, 5.0),
        },
    });
    assert_eq!(metrics, expected);
}

/// Checks that both have the same names with the same types. Values under user-defined names all have
/// the same shape.
fn same_shape(at: &str, ours: &Value, theirs: &Value) {
    match (ours, theirs) {
        (Value::Object(ours), Value::Object(theirs)) if at.starts_with("by_") => {
            let example = theirs.values().next().unwrap();
            ours.values().for_each(|share| same_shape("share", share, example));
        }
        (Value::Object(ours), Value::Object(theirs)) => {
            let names =
                |of: &serde_json::Map<_, _>| of.keys().cloned().collect::<BTreeSet<String>>();
            assert_eq!(names(ours), names(theirs), "{at}");
            ours.iter().for_each(|(name, field)| same_shape(name, field, &theirs[name]));
        }
        (Value::Number(ours), Value::Number(theirs)) => {
            assert_eq!(ours.is_f64(), theirs.is_f64(), "{at}: {ours}, as {theirs}");
        }
        (Value::String(_), Value::String(_)) => {}
        (ours, theirs) => panic!("{at}: {ours} is not like {theirs}"),
    }
}
