//! O1, O4, O5: the events and the record of a session.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking")]
#![cfg(all(feature = "tokio", feature = "record"))]

#[path = "common/save_state.rs"]
mod save_state;

use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

use serde_json::{Value, json};
use steadfast::guard::{Breaker, BreakerSettings};
use steadfast::observe::{DecidedBy, Event, EventType, Memory, Recorder, Redactor, Session, Sink};
use steadfast::{Class, Fault, Hint, Kind, Policy, Reason, retry};

use save_state::{noon, policy, timeout};

fn json(record: &impl serde::Serialize) -> Value {
    serde_json::to_value(record).unwrap()
}

fn types(events: &[Event]) -> Vec<EventType> {
    events.iter().map(|event| event.event_type).collect()
}

/// O1: the example of S4: an attempt of 30.5 s that times out, a delay of 1.5 s, and an attempt of 3.5
/// s that succeeds.
#[tokio::test(start_paused = true)]
async fn recorded_session_equals_the_example_of_s4() {
    let memory = Memory::default();
    let policy = policy();
    let tries = AtomicU32::new(0);
    let recorder = Recorder::new(&memory)
        .starting_at(noon())
        .correlation_id("corr_abc123")
        .component("retry_manager")
        .context("state_id", "abc123");
    let id = recorder.id().to_string();
    retry(&policy, || async {
        if tries.fetch_add(1, Ordering::Relaxed) == 0 {
            tokio::time::sleep(Duration::from_millis(30_500)).await;
            return Err(timeout());
        }
        tokio::time::sleep(Duration::from_millis(3500)).await;
        Ok(json!({"state_id": "abc123", "saved": true}))
    })
    .named("save_state")
    .instrument(recorder)
    .record_result()
    .await
    .unwrap();

    let events = memory.events();
    assert_eq!(types(&events), [EventType::RetryAttempt, EventType::RetrySuccess]);
    let mut retried = json(&events[0]);
    assert!(retried["event_id"].as_str().unwrap().starts_with("evt_"));
    assert_ne!(events[0].event_id, events[1].event_id);
    let why = retried.as_object_mut().unwrap().remove("why").unwrap();
    assert_eq!(
        why["sentence"],
        "rule `timeout` (default) makes it retryable; backoff for retry 1: 1.5s"
    );
    let mut expected: Value =
        serde_json::from_str(include_str!("observe_data/event.json")).unwrap();
    expected["event_id"] = retried["event_id"].clone();
    expected["session_id"] = json!(id);
    assert_eq!(retried, expected);
    assert_eq!((events[1].attempt, events[1].max_attempts), (Some(2), Some(3)));

    let sessions = memory.sessions();
    let [session] = sessions.as_slice() else { panic!("one session, not {}", sessions.len()) };
    let mut recorded = json(session);
    let mut expected: Value =
        serde_json::from_str(include_str!("observe_data/session.json")).unwrap();
    expected["session_id"] = json!(id);
    expected["correlation_id"] = json!("corr_abc123");
    expected["context"] = json!({"state_id": "abc123"});
    for (field, derived) in
        [("total_attempts", json!(2)), ("total_duration", json!(35.5)), ("retry_count", json!(1))]
    {
        assert_eq!(recorded.as_object_mut().unwrap().remove(field), Some(derived), "{field}");
    }
    // Fault, class and explanation are beside S4's fields.
    let first = recorded["attempts"][0].as_object_mut().unwrap();
    let fault: Fault = serde_json::from_value(first.remove("fault").unwrap()).unwrap();
    assert_eq!(fault, timeout());
    assert_eq!(first.remove("class"), Some(json!("retryable")));
    assert_eq!(first.remove("why"), Some(why));
    assert_eq!(recorded, expected);

    let read: Session = serde_json::from_value(json(session)).unwrap();
    assert_eq!(&read, session);
}

#[tokio::test(start_paused = true)]
async fn first_attempt_success_has_no_events() {
    let memory = Memory::default();
    let policy = policy();
    retry(&policy, || async { Ok::<_, Fault>(()) })
        .instrument(Recorder::new(&memory))
        .await
        .unwrap();
    assert!(memory.events().is_empty());
    let session = &memory.sessions()[0];
    assert_eq!((session.success, session.total_attempts()), (true, 1));
    assert_eq!(session.operation, "browser_state_timeout");
    assert_eq!(session.correlation_id.as_ref(), Some(&session.session_id));
}

#[test]
fn failed_session_has_its_reason_in_event_and_record() {
    let memory = Memory::default();
    let policy = Policy::immediate().max_attempts(2).build().unwrap();
    let _ = retry(&policy, || Err::<(), _>(timeout())).instrument(Recorder::new(&memory)).call();

    let events = memory.events();
    assert_eq!(types(&events), [EventType::RetryAttempt, EventType::RetryFailure]);
    let failure = &events[1];
    assert_eq!(failure.reason, Some(Reason::AttemptsExhausted));
    assert_eq!((failure.attempt, failure.max_attempts), (Some(2), Some(2)));
    assert_eq!(failure.error.as_ref().unwrap().error_type, "TimeoutError");
    assert_eq!(failure.policy_id, "inline");
    assert!(events.iter().all(|event| event.validate().is_ok()));

    let session = &memory.sessions()[0];
    assert_eq!(session.validate(), Ok(()));
    assert_eq!((session.success, session.reason), (false, Some(Reason::AttemptsExhausted)));
    assert_eq!(session.final_error, session.attempts[1].error);
    let why = session.attempts[1].why.as_ref().unwrap();
    assert_eq!(why.decided_by, DecidedBy::MaxAttempts { max_attempts: 2 });
    assert_eq!((why.class, why.rule.as_deref()), (Some(Class::Retryable), Some("timeout")));
}

/// O1, J2: a requested wait uses no attempt, so the event's attempt stays within its limit; the record
/// counts every try.
#[tokio::test(start_paused = true)]
async fn hinted_waits_keep_the_attempt_within_its_limit() {
    let memory = Memory::default();
    let policy = Policy::immediate().max_attempts(2).max_rate_limit_waits(3).build().unwrap();
    let tries = AtomicU32::new(0);
    let limited = || Fault::http(429).with_hint(Hint::After(Duration::from_secs(120)));
    retry(&policy, || async {
        if tries.fetch_add(1, Ordering::Relaxed) < 3 { Err(limited()) } else { Ok(()) }
    })
    .instrument(Recorder::new(&memory).starting_at(noon()))
    .await
    .unwrap();

    let events = memory.events();
    let retried = &events[..3];
    assert!(retried.iter().all(|event| (event.attempt, event.max_attempts) == (Some(1), Some(2))));
    assert!(retried.iter().all(|event| event.delay == Some(Duration::from_secs(120))));
    let why = retried[0].why.as_ref().unwrap();
    assert_eq!(why.to_string(), "rule `429` (default) makes it rate_limited; server hint: 2m");

    let session = &memory.sessions()[0];
    let numbers: Vec<_> = session.attempts.iter().map(|attempt| attempt.attempt_number).collect();
    assert_eq!((numbers, session.calls()), (vec![1, 2, 3, 4], 4));
    assert_eq!(session.total_duration(), Some(Duration::from_secs(360)));
}

#[tokio::test(start_paused = true)]
async fn breaker_that_opens_and_closes_has_events() {
    let memory = Memory::default();
    let settings = BreakerSettings::consecutive(2, Duration::from_secs(1));
    let breaker = Breaker::new(settings).unwrap();
    let policy = Policy::fixed(Duration::from_secs(2)).max_attempts(3).build().unwrap();
    let tries = AtomicU32::new(0);
    retry(&policy, || async {
        if tries.fetch_add(1, Ordering::Relaxed) < 2 { Err(timeout()) } else { Ok(()) }
    })
    .breaker(&breaker)
    .instrument(Recorder::new(&memory))
    .await
    .unwrap();
    let expected = [
        EventType::RetryAttempt,
        EventType::CircuitBreakerOpened,
        EventType::RetryAttempt,
        EventType::CircuitBreakerClosed,
        EventType::RetrySuccess,
    ];
    assert_eq!(types(&memory.events()), expected);
}

/// O1: events of the policy's breaker are recorded, too.
#[test]
fn policy_breaker_that_opens_has_an_event() {
    let memory = Memory::default();
    let draft = Policy::immediate().max_attempts(5).id("o1_a_policys_breaker");
    let policy = draft.breaker(BreakerSettings::consecutive(2, Duration::from_secs(60)));
    let policy = policy.build().unwrap();
    let down = || Err::<(), _>(timeout());
    let _ = retry(&policy, down).instrument(Recorder::new(&memory)).call();
    let events = memory.events();
    let expected =
        [EventType::RetryAttempt, EventType::CircuitBreakerOpened, EventType::RetryFailure];
    assert_eq!(types(&events), expected);
    // Rejected before its third attempt: G2, a rejection is not an attempt.
    assert_eq!((events[2].reason, events[2].attempt), (Some(Reason::BreakerOpen), None));
    assert_eq!(memory.sessions()[0].total_attempts(), 2);

    // A session that is rejected at once has no attempt to record, only its event.
    let again = Memory::default();
    let _ = retry(&policy, down).instrument(Recorder::new(&again)).call();
    assert_eq!(types(&again.events()), [EventType::RetryFailure]);
    assert!(again.sessions().is_empty());
}

/// O1: an attempt that a later guard rejects is not recorded, in any order.
#[test]
fn attempt_rejected_by_a_later_guard_is_not_recorded() {
    let memory = Memory::default();
    let breaker = Breaker::new(BreakerSettings::consecutive(1, Duration::from_secs(60))).unwrap();
    let policy = Policy::immediate().max_attempts(3).build().unwrap();
    let _ = retry(&policy, || Err::<(), _>(timeout()))
        .instrument(Recorder::new(&memory))
        .breaker(&breaker)
        .call();
    assert_eq!(memory.sessions()[0].total_attempts(), 1);
}

#[test]
fn secrets_are_redacted_in_events_and_records() {
    let memory = Memory::default();
    let policy = Policy::immediate().max_attempts(2).build().unwrap();
    let leaky = || {
        let cause = Fault::default().with_message("password=s3cr3t-d");
        let fault =
            Fault::of(Kind::Timeout).with_message("GET https://u:s3cr3t-a@h/?token=s3cr3t-b");
        Err::<(), _>(fault.caused_by(cause))
    };
    let recorder = Recorder::new(&memory)
        .context("api_key", "s3cr3t-c")
        .context("badge", "s3cr3t-e")
        .redactor(Redactor::new().also("badge").stack_traces(true));
    let _ = retry(&policy, leaky).named("GET https://u:s3cr3t-f@h/").instrument(recorder).call();
    let all = format!("{}{}", json(&memory.events()), json(&memory.sessions()));
    assert!(!all.contains("s3cr3t"), "{all}");
    assert!(all.contains("caused by: password=***"), "{all}");
}

/// O1: the result of a session is recorded, whatever its source: the first attempt, a retry, a
/// probe, beside a report, on either driver. Without `record_result` it is absent.
#[tokio::test]
async fn result_is_recorded_on_request() {
    let policy = Policy::immediate().max_attempts(2).build().unwrap();
    let memory = Memory::default();
    let recorder = || Recorder::new(&memory);
    let late = || {
        let tries = AtomicU32::new(0);
        move || if tries.fetch_add(1, Ordering::Relaxed) == 0 { Err(timeout()) } else { Ok(2) }
    };
    retry(&policy, || Ok::<_, Fault>(1)).instrument(recorder()).record_result().call().unwrap();
    retry(&policy, late()).record_result().with_report().instrument(recorder()).call().unwrap();
    let lost = || Err(timeout().with_unknown_outcome());
    let probed = retry(&policy, lost).probe(|_: steadfast::Key| steadfast::Effect::Yes(3));
    probed.instrument(recorder()).record_result().call().unwrap();
    let now = retry(&policy, || async { Ok::<_, Fault>(4) }).instrument(recorder());
    now.record_result().await.unwrap();
    let first = late();
    let then = retry(&policy, || std::future::ready(first())).instrument(Some(recorder()));
    then.with_report().record_result().await.unwrap();
    retry(&policy, || Ok::<_, Fault>(5)).instrument(recorder()).call().unwrap();
    let _ =
        retry(&policy, || Err::<(), _>(timeout())).instrument(recorder()).record_result().call();

    let results: Vec<_> = memory.sessions().into_iter().map(|it| it.final_result).collect();
    let known = |result: u32| Some(json!(result));
    assert_eq!(results, [known(1), known(2), known(3), known(4), known(2), None, None]);
}

/// O5, I9: a result is redacted like everything else; one that cannot be serialized is ignored.
#[test]
fn result_is_redacted_or_omitted() {
    struct Unwritable;
    impl serde::Serialize for Unwritable {
        fn serialize<S: serde::Serializer>(&self, _: S) -> Result<S::Ok, S::Error> {
            panic!("no words")
        }
    }
    let memory = Memory::default();
    let policy = Policy::immediate().build().unwrap();
    let login = || Ok::<_, Fault>(json!({"user": "u1", "token": "s3cr3t"}));
    retry(&policy, login).instrument(Recorder::new(&memory)).record_result().call().unwrap();
    let none = || Ok::<_, Fault>(Unwritable);
    assert!(retry(&policy, none).instrument(Recorder::new(&memory)).record_result().call().is_ok());
    let results: Vec<_> = memory.sessions().into_iter().map(|it| it.final_result).collect();
    assert_eq!(results, [Some(json!({"user": "u1", "token": "***"})), None]);
}

/// O5: without debug mode there is no stack trace.
#[test]
fn stack_trace_is_recorded_only_in_debug_mode() {
    let policy = Policy::immediate().max_attempts(1).build().unwrap();
    let nested = || Err::<(), _>(timeout().caused_by(Fault::http(503)));
    let traces = |redactor| {
        let memory = Memory::default();
        let recorder = Recorder::new(&memory).redactor(redactor);
        let _ = retry(&policy, nested).instrument(recorder).call();
        let attempt = memory.sessions()[0].attempts[0].error.clone().unwrap();
        (attempt.stack_trace, memory.events()[0].error.clone().unwrap().stack_trace)
    };
    assert_eq!(traces(Redactor::new()), (None, None));
    let trace = Some("caused by: HTTP 503".to_owned());
    assert_eq!(traces(Redactor::new().stack_traces(true)), (trace.clone(), trace));
}

/// K4: of very many attempts the latest are stored, and the rest are counted.
#[test]
fn record_of_many_attempts_is_bounded() {
    let memory = Memory::default();
    let policy = Policy::immediate().max_attempts(300).build().unwrap();
    let _ = retry(&policy, || Err::<(), _>(timeout())).instrument(Recorder::new(&memory)).call();
    let session = &memory.sessions()[0];
    assert_eq!((session.total_attempts(), session.forgotten_attempts), (256, 44));
    assert_eq!(session.attempts[0].attempt_number, 45);
    assert_eq!(session.attempts[255].attempt_number, 300);
}

/// I9: a panic of the sink loses nothing.
#[test]
fn sink_panic_does_not_affect_the_session() {
    struct Broken;
    impl Sink for Broken {
        fn event(&self, _: Event) {
            panic!("no room")
        }
        fn session(&self, _: Session) {
            panic!("no room")
        }
    }
    let memory = Memory::default();
    let policy = Policy::immediate().max_attempts(2).max_rate_limit_waits(3).build().unwrap();
    let tries = AtomicU32::new(0);
    let second = || if tries.fetch_add(1, Ordering::Relaxed) == 0 { Err(timeout()) } else { Ok(7) };
    let ended = retry(&policy, second)
        .instrument(Recorder::new(Broken))
        .instrument(Recorder::new((&memory, &memory)))
        .call();
    assert_eq!(ended.unwrap(), 7);
    assert_eq!((memory.events().len(), memory.sessions().len()), (4, 2));
}
