//! O1: events, sessions, breakers and metrics have S4's fields and are rejected where S4 demands
//! it.

#![cfg(feature = "record")]
#![allow(clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking")]

use std::time::Duration;

use jiff::Timestamp;
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};
use steadfast::Reason;
use steadfast::observe::{
    AttemptRecord, CircuitBreakerState, Event, EventType, MetricsSummary, Session, SessionSum,
    Tally,
};

const ATTEMPT: &str = include_str!("observe_data/attempt.json");
const SESSION: &str = include_str!("observe_data/session.json");
const EVENT: &str = include_str!("observe_data/event.json");
const BREAKER: &str = include_str!("observe_data/breaker.json");
const METRICS: &str = include_str!("observe_data/metrics.json");

fn value(json: &str) -> Value {
    serde_json::from_str(json).unwrap()
}

fn round_trip<T: DeserializeOwned + Serialize>(json: &str) -> Value {
    let record: T = serde_json::from_str(json).unwrap();
    serde_json::to_value(record).unwrap()
}

/// The error of reading the example as a `T` with one field changed.
fn refused<T: DeserializeOwned>(json: &str, pointer: &str, changed: Value) -> String {
    let mut example = value(json);
    *example.pointer_mut(pointer).unwrap_or_else(|| panic!("{pointer} is not there")) = changed;
    match serde_json::from_value::<T>(example) {
        Ok(_) => panic!("{pointer} should have been refused"),
        Err(error) => error.to_string(),
    }
}

fn without<T: DeserializeOwned>(json: &str, field: &str) -> bool {
    let mut example = value(json);
    example.as_object_mut().unwrap().remove(field).unwrap();
    serde_json::from_value::<T>(example).is_ok()
}

#[test]
fn examples_round_trip_field_by_field() {
    assert_eq!(round_trip::<AttemptRecord>(ATTEMPT), value(ATTEMPT));
    assert_eq!(round_trip::<Event>(EVENT), value(EVENT));
    assert_eq!(round_trip::<CircuitBreakerState>(BREAKER), value(BREAKER));
    assert_eq!(round_trip::<MetricsSummary>(METRICS), value(METRICS));
}

#[test]
fn session_serializes_with_derived_fields() {
    let mut written = round_trip::<Session>(SESSION);
    let derived = |written: &mut Value, field| written.as_object_mut().unwrap().remove(field);
    assert_eq!(derived(&mut written, "total_attempts"), Some(json!(2)));
    assert_eq!(derived(&mut written, "total_duration"), Some(json!(35.5)));
    assert_eq!(derived(&mut written, "retry_count"), Some(json!(1)));
    assert_eq!(written, value(SESSION));
}

#[test]
fn running_session_has_no_duration() {
    let mut running = value(SESSION);
    running.as_object_mut().unwrap().remove("end_time");
    let written = round_trip::<Session>(&running.to_string());
    assert_eq!(written.get("total_duration"), None);
    assert_eq!(written["retry_count"], 1);
}

/// O1, S4, Retry Session Validation, rule by rule.
#[test]
fn invalid_session_is_rejected_with_its_path() {
    let refused = refused::<Session>;
    let zero = refused(SESSION, "/attempts/1/attempt_number", json!(0));
    assert!(zero.contains("attempt_number: must be at least 1"), "{zero}");
    assert!(refused(SESSION, "/attempts/0/delay", json!(-0.5)).contains("negative"));
    assert!(refused(SESSION, "/attempts/0/duration", json!(-1)).contains("negative"));
    assert!(refused(SESSION, "/success", json!("yes")).contains("boolean"));
    let empty = refused(SESSION, "/attempts", json!([]));
    assert_eq!(empty, "attempts: must not be empty");
    assert!(refused(SESSION, "/start_time", json!("yesterday")).contains("yesterday"));

    for (field, wrong, rule) in [
        ("total_attempts", json!(3), "total_attempts: must equal the number of attempts"),
        ("retry_count", json!(2), "retry_count: must equal total_attempts - 1"),
        ("total_duration", json!(-1), "negative"),
    ] {
        let mut claimed = value(SESSION);
        claimed[field] = wrong;
        let error = serde_json::from_value::<Session>(claimed).unwrap_err().to_string();
        assert!(error.contains(rule), "{error}");
    }
}

#[test]
fn problem_in_an_attempt_has_the_whole_path() {
    let mut session: Session = serde_json::from_str(SESSION).unwrap();
    session.attempts[1].attempt_number = 0;
    let wrong = session.validate().unwrap_err();
    assert_eq!(wrong.field, "attempts[1].attempt_number");
    assert_eq!(wrong.to_string(), "attempts[1].attempt_number: must be at least 1");
}

/// O1, S4, Retry Event Validation, rule by rule.
#[test]
fn invalid_event_is_rejected() {
    let refused = refused::<Event>;
    assert!(refused(EVENT, "/event_type", json!("retried")).contains("retried"));
    assert!(refused(EVENT, "/timestamp", json!("12 o'clock")).contains("12 o'clock"));
    assert_eq!(refused(EVENT, "/correlation_id", json!("")), "correlation_id: must not be empty");
    assert_eq!(refused(EVENT, "/attempt", json!(0)), "attempt: must be at least 1");
    let below = refused(EVENT, "/max_attempts", json!(1));
    assert_eq!(below, "max_attempts: must not be below attempt");
    assert!(refused(EVENT, "/delay", json!(-1.5)).contains("negative"));
    assert!(refused(EVENT, "/delay", json!("1.5s")).contains("invalid type"));
}

#[test]
fn missing_required_field_is_rejected() {
    let optional = ["attempt", "max_attempts", "delay", "context"];
    for field in value(EVENT).as_object().unwrap().keys() {
        assert_eq!(without::<Event>(EVENT, field), optional.contains(&field.as_str()), "{field}");
    }
    let optional = ["end_time", "final_result", "context"];
    for field in value(SESSION).as_object().unwrap().keys() {
        assert_eq!(
            without::<Session>(SESSION, field),
            optional.contains(&field.as_str()),
            "{field}"
        );
    }
    let optional = ["error", "context"];
    for field in value(ATTEMPT).as_object().unwrap().keys() {
        let expected = optional.contains(&field.as_str());
        assert_eq!(without::<AttemptRecord>(ATTEMPT, field), expected, "{field}");
    }
    for field in value(METRICS).as_object().unwrap().keys() {
        assert!(!without::<MetricsSummary>(METRICS, field), "{field}");
    }
}

#[test]
fn event_types_are_those_of_s4_and_ours() {
    for (name, event_type) in [
        ("retry_attempt", EventType::RetryAttempt),
        ("retry_success", EventType::RetrySuccess),
        ("retry_failure", EventType::RetryFailure),
        ("circuit_breaker_opened", EventType::CircuitBreakerOpened),
        ("circuit_breaker_closed", EventType::CircuitBreakerClosed),
        ("handed_over", EventType::HandedOver),
        ("lease_lost", EventType::LeaseLost),
    ] {
        assert_eq!(serde_json::from_value::<EventType>(json!(name)).unwrap(), event_type);
        assert_eq!(event_type.to_string(), name);
        assert_eq!(serde_json::to_value(event_type).unwrap(), name);
    }
}

#[test]
fn failure_event_has_its_reason() {
    let mut failure = value(EVENT);
    failure["event_type"] = json!("retry_failure");
    failure["reason"] = json!("budget_exhausted");
    failure["error"] = json!({"type": "E", "message": "m", "stack_trace": "at 1"});
    let event: Event = serde_json::from_value(failure.clone()).unwrap();
    assert_eq!(event.reason, Some(Reason::BudgetExhausted));
    assert_eq!(serde_json::to_value(event).unwrap(), failure);
}

#[test]
fn invalid_breaker_state_is_rejected() {
    let refused = refused::<CircuitBreakerState>;
    assert!(refused(BREAKER, "/state", json!("ajar")).contains("ajar"));
    assert_eq!(refused(BREAKER, "/threshold", json!(0)), "threshold: must be at least 1");
    assert_eq!(refused(BREAKER, "/timeout", json!(0)), "timeout: must be longer than 0");
    assert!(refused(BREAKER, "/failure_count", json!(-1)).contains("invalid value"));
}

#[test]
fn inconsistent_summary_is_rejected() {
    let refused = refused::<MetricsSummary>;
    assert!(refused(METRICS, "/failed_sessions", json!(49)).starts_with("total_sessions: "));
    let rate = refused(METRICS, "/by_subsystem/browser/success_rate", json!(1.01));
    assert_eq!(rate, "by_subsystem.browser.success_rate: must be from 0.0 to 1.0");
    assert!(
        refused(METRICS, "/by_policy/browser_state_timeout/average_attempts", json!(-1))
            .starts_with("by_policy.browser_state_timeout.average_attempts: ")
    );
    assert!(
        refused(METRICS, "/time_window_end", json!("2026-01-28T00:00:00Z"))
            .starts_with("time_window_end: ")
    );
    assert!(
        refused(METRICS, "/max_attempts_in_session", json!(1201))
            .starts_with("max_attempts_in_session: ")
    );
    assert!(refused(METRICS, "/total_duration", json!(-1)).contains("negative"));
}

fn session(policy: &str, operation: &str, success: bool, attempts: usize, end: &str) -> Session {
    let mut session: Session = serde_json::from_str(SESSION).unwrap();
    let attempt = session.attempts.remove(0);
    (session.policy_id, session.operation) = (policy.to_owned(), operation.to_owned());
    (session.success, session.attempts) = (success, vec![attempt; attempts]);
    session.end_time = Some(end.parse().unwrap());
    session
}

#[test]
fn summary_groups_by_policy_and_subsystem() {
    let time = |text: &str| text.parse::<Timestamp>().unwrap();
    let mut tally = Tally::new(time("2026-01-29T12:00:00Z"), time("2026-01-29T12:59:59.999Z"));
    let add = |tally: &mut Tally, policy, operation, success, attempts, end| {
        tally.add(&session(policy, operation, success, attempts, end))
    };
    let tally_mut = &mut tally;
    assert!(add(tally_mut, "a", "browser.save.timeout", true, 1, "2026-01-29T12:00:10Z"));
    assert!(add(tally_mut, "a", "browser.load", true, 2, "2026-01-29T12:00:20Z"));
    assert!(add(tally_mut, "b", "navigation.route", false, 3, "2026-01-29T12:00:30Z"));
    assert!(add(tally_mut, "b", "telemetry", true, 1, "2026-01-29T12:59:59.999Z"));
    // The window ends with the millisecond before this one, and an open session is in no window.
    assert!(!add(tally_mut, "a", "browser.save", true, 1, "2026-01-29T13:00:00Z"));
    let mut running = session("a", "browser.save", false, 1, "2026-01-29T12:00:01Z");
    running.end_time = None;
    assert!(!tally_mut.add(&running));

    let figures = tally.summary();
    assert_eq!(figures.validate(), Ok(()));
    let json = serde_json::to_value(&figures).unwrap();
    let expected = json!({
        "time_window_start": "2026-01-29T12:00:00.000Z",
        "time_window_end": "2026-01-29T12:59:59.999Z",
        "total_sessions": 4,
        "successful_sessions": 3,
        "failed_sessions": 1,
        "total_attempts": 7,
        "average_attempts_per_session": 1.75,
        "max_attempts_in_session": 3,
        "total_duration": 3659.999,
        "average_duration_per_session": 914.99975,
        "by_policy": {
            "a": {"sessions": 2, "success_rate": 1.0, "average_attempts": 1.5},
            "b": {"sessions": 2, "success_rate": 0.5, "average_attempts": 2.0},
        },
        "by_subsystem": {
            "browser": {"sessions": 2, "success_rate": 1.0, "average_attempts": 1.5},
            "navigation": {"sessions": 1, "success_rate": 0.0, "average_attempts": 3.0},
            "telemetry": {"sessions": 1, "success_rate": 1.0, "average_attempts": 1.0},
        },
    });
    assert_eq!(json, expected);
}

#[test]
fn session_rejected_by_a_breaker_counts_as_failed() {
    let at = Timestamp::UNIX_EPOCH;
    let mut tally = Tally::new(at, at);
    assert_eq!(tally.summary().average_attempts_per_session, 0.0);
    assert!(tally.add_rejected(at, "a", "browser.save"));
    let figures = tally.summary();
    assert_eq!((figures.total_sessions, figures.failed_sessions), (1, 1));
    assert_eq!((figures.total_attempts, figures.by_policy["a"].success_rate), (0, 0.0));
    assert_eq!(figures.validate(), Ok(()));
}

/// O1: sessions that a database aggregated give the same metrics as the sessions themselves.
#[test]
fn rollups_give_the_summary_of_their_sessions() {
    let time = |text: &str| text.parse::<Timestamp>().unwrap();
    let (start, end) = (time("2026-01-29T12:00:00Z"), time("2026-01-29T13:00:00Z"));
    let (mut one_by_one, mut summed) = (Tally::new(start, end), Tally::new(start, end));
    let mut sum = SessionSum::default();
    for (success, attempts) in [(true, 1), (false, 3), (true, 2)] {
        let session = session("a", "browser.save", success, attempts, "2026-01-29T12:30:00Z");
        one_by_one.add(&session);
        sum.sessions += 1;
        sum.successful += u64::from(success);
        let attempts = u64::try_from(attempts).unwrap();
        sum.attempts += attempts;
        sum.most_attempts = sum.most_attempts.max(attempts);
        sum.duration += session.total_duration().unwrap();
    }
    summed.add_sum("a", "browser", sum);
    summed.add_sum("b", "shop", SessionSum::default());
    assert_eq!(summed.summary(), one_by_one.summary());
}

/// O1, K4: impossible totals are clamped, so that metrics are always valid.
#[test]
fn inconsistent_rollups_give_a_valid_summary() {
    let mut tally = Tally::new(Timestamp::UNIX_EPOCH, Timestamp::UNIX_EPOCH);
    let absurd = SessionSum {
        sessions: 1,
        successful: u64::MAX,
        attempts: 0,
        most_attempts: 9,
        duration: Duration::MAX,
    };
    tally.add_sum("a", "b", absurd);
    tally.add_sum("a", "b", absurd);
    assert_eq!(tally.summary().validate(), Ok(()));
}
