//! O2: `tracing` with fields. A retry is INFO, giving up WARN, success after a retry INFO,
//! plain success DEBUG.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking")]
#![cfg(all(feature = "tracing", feature = "tokio"))]

use std::collections::BTreeMap;
use std::fmt;
use std::future::{Future, IntoFuture, pending};
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Mutex};
use std::task::{Context, Waker};
use std::time::Duration;

use steadfast::guard::{Breaker, BreakerSettings};
use steadfast::observe::SessionId;
#[cfg(feature = "record")]
use steadfast::observe::{Memory, Recorder};
use steadfast::policy::{Draft, Nested};
use steadfast::{CancelHandle, Class, Failure, Fault, Kind, Policy, retry};
use tracing::field::{Field, Visit};
use tracing::level_filters::LevelFilter;
use tracing::subscriber::{DefaultGuard, set_default};
use tracing::{Event, Level, Subscriber};
use tracing_subscriber::layer::{Context as LayerContext, Layer, SubscriberExt};
use tracing_subscriber::registry;

/// One line of the log.
#[derive(Clone, Debug)]
struct Line {
    level: Level,
    target: String,
    fields: BTreeMap<String, String>,
}

impl Line {
    fn field(&self, name: &str) -> &str {
        self.fields.get(name).map_or("", String::as_str)
    }

    fn brief(&self) -> (Level, &str) {
        (self.level, self.field("message"))
    }
}

impl Visit for Line {
    fn record_debug(&mut self, field: &Field, value: &dyn fmt::Debug) {
        self.fields.insert(field.name().to_owned(), format!("{value:?}"));
    }

    fn record_str(&mut self, field: &Field, value: &str) {
        self.fields.insert(field.name().to_owned(), value.to_owned());
    }
}

/// Stores every line.
#[derive(Clone, Default)]
struct Log(Arc<Mutex<Vec<Line>>>);

impl Log {
    fn lines(&self) -> Vec<Line> {
        self.0.lock().unwrap().clone()
    }
}

impl<S: Subscriber> Layer<S> for Log {
    fn on_event(&self, event: &Event<'_>, _: LayerContext<'_, S>) {
        let metadata = event.metadata();
        let fields = BTreeMap::new();
        let mut line = Line { level: *metadata.level(), target: metadata.target().into(), fields };
        event.record(&mut line);
        self.0.lock().unwrap().push(line);
    }
}

/// The log of this thread, from now until the guard is dropped.
fn log(most: LevelFilter) -> (Log, DefaultGuard) {
    let log = Log::default();
    let guard = set_default(registry().with(log.clone().with_filter(most)));
    (log, guard)
}

#[derive(Clone, Debug)]
struct Bad(Fault);

impl Failure for Bad {
    fn fault(&self) -> Fault {
        self.0.clone()
    }
}

fn unavailable() -> Bad {
    Bad(Fault::http(503).with_message("GET https://h/?token=s3cr3t: unavailable"))
}

/// Fails this often, then succeeds.
fn fails(times: u32) -> impl FnMut() -> Result<(), Bad> {
    let tries = AtomicU32::new(0);
    move || if tries.fetch_add(1, Ordering::Relaxed) < times { Err(unavailable()) } else { Ok(()) }
}

fn policy() -> Policy {
    Draft::new().id("calls").base_delay(Duration::from_millis(1500)).build().unwrap()
}

fn immediate() -> Policy {
    Policy::immediate().build().unwrap()
}

#[tokio::test(start_paused = true)]
async fn retry_is_logged_as_info_with_its_fields() {
    let (log, _guard) = log(LevelFilter::TRACE);
    let (policy, mut op) = (policy(), fails(1));
    retry(&policy, move || std::future::ready(op())).named("storage.save").await.unwrap();

    let lines = log.lines();
    let [retrying, succeeded] = lines.as_slice() else { panic!("two lines, not {lines:?}") };
    assert_eq!(retrying.brief(), (Level::INFO, "retrying in 1.5s"));
    assert_eq!(retrying.target, "steadfast");
    let fields = |line: &Line| {
        let named = ["operation", "attempt", "max", "delay", "class", "rule", "reason"];
        named.map(|name| line.field(name).to_owned())
    };
    assert_eq!(fields(retrying), ["storage.save", "1", "3", "1.5", "retryable", "5xx", ""]);
    assert!(retrying.field("session").parse::<SessionId>().is_ok());

    assert_eq!(succeeded.brief(), (Level::INFO, "succeeded after a retry"));
    assert_eq!(fields(succeeded), ["storage.save", "2", "3", "", "", "", ""]);
    assert_eq!(succeeded.field("session"), retrying.field("session"));
}

#[test]
fn first_attempt_success_is_logged_as_debug() {
    let (log, _guard) = log(LevelFilter::TRACE);
    retry(&immediate(), fails(0)).call().unwrap();
    let lines = log.lines();
    assert_eq!(lines.iter().map(Line::brief).collect::<Vec<_>>(), [(Level::DEBUG, "succeeded")]);
    assert_eq!(lines[0].field("operation"), "operation");
}

#[test]
fn give_up_is_logged_as_warning_with_its_reason() {
    let (log, _guard) = log(LevelFilter::WARN);
    let _ = retry(&immediate(), fails(9)).named("storage.save").call();
    let lines = log.lines();
    let [gave_up] = lines.as_slice() else { panic!("one line, not {lines:?}") };
    assert_eq!(gave_up.brief(), (Level::WARN, "gave up: attempts exhausted"));
    let named = ["reason", "class", "rule", "attempt", "max"].map(|name| gave_up.field(name));
    assert_eq!(named, ["attempts_exhausted", "retryable", "5xx", "3", "3"]);
}

/// O2: a hinted wait may consume no attempt; a success after it still counts as retried.
#[tokio::test(start_paused = true)]
async fn success_after_a_hinted_wait_is_logged_as_retried() {
    let (log, _guard) = log(LevelFilter::TRACE);
    let tries = AtomicU32::new(0);
    let hint = steadfast::Hint::After(Duration::from_secs(60));
    let policy = Policy::immediate().max_rate_limit_waits(1).build().unwrap();
    retry(&policy, || async {
        let first = tries.fetch_add(1, Ordering::Relaxed) == 0;
        if first { Err(Bad(Fault::http(429).with_hint(hint))) } else { Ok(()) }
    })
    .await
    .unwrap();
    let lines = log.lines();
    let brief: Vec<_> = lines.iter().map(Line::brief).collect();
    let expected = [(Level::INFO, "retrying in 1m"), (Level::INFO, "succeeded after a retry")];
    assert_eq!(brief, expected);
    assert_eq!((lines[0].field("class"), lines[1].field("attempt")), ("rate_limited", "1"));
}

#[tokio::test(start_paused = true)]
async fn opened_breaker_is_a_warning_and_closed_one_is_info() {
    let (log, _guard) = log(LevelFilter::INFO);
    let breaker = Breaker::new(BreakerSettings::consecutive(1, Duration::from_secs(1))).unwrap();
    let policy = Policy::fixed(Duration::from_secs(2)).build().unwrap();
    let mut op = fails(1);
    retry(&policy, move || std::future::ready(op())).breaker(&breaker).await.unwrap();
    let lines = log.lines();
    let brief: Vec<_> = lines.iter().map(Line::brief).collect();
    let expected = [
        (Level::WARN, "breaker opened"),
        (Level::INFO, "retrying in 2s"),
        (Level::INFO, "breaker closed"),
        (Level::INFO, "succeeded after a retry"),
    ];
    assert_eq!(brief, expected);
}

/// O2, I6: neither has failed, so neither is a warning.
#[test]
fn cancelled_session_is_info_and_dropped_one_is_debug() {
    let (log, _guard) = log(LevelFilter::TRACE);
    let handle = CancelHandle::new();
    handle.cancel();
    let _ = retry(&immediate(), fails(0)).cancel_with(&handle).call();

    let policy = immediate();
    let mut dropped = Box::pin(retry(&policy, pending::<Result<(), Bad>>).into_future());
    assert!(dropped.as_mut().poll(&mut Context::from_waker(Waker::noop())).is_pending());
    drop(dropped);

    let lines = log.lines();
    let brief: Vec<_> = lines.iter().map(Line::brief).collect();
    let expected = [(Level::INFO, "cancelled"), (Level::DEBUG, "dropped before its end")];
    assert_eq!(brief, expected);
    assert_eq!(lines[0].field("reason"), "cancelled");
}

/// O2, I7: the outer session will retry, so nothing is lost yet.
#[test]
fn failure_left_to_the_outer_session_is_not_a_warning() {
    let (log, _guard) = log(LevelFilter::TRACE);
    let policy = Policy::immediate().max_attempts(2).nested(Nested::Outer).build().unwrap();
    let mut op = fails(1);
    let judge = |_: &Fault| Some(Class::Retryable);
    retry(&policy, || retry(&policy, &mut op).call().map_err(|error| error.into_error().unwrap()))
        .judge(judge)
        .call()
        .unwrap();
    let lines = log.lines();
    let brief: Vec<_> = lines.iter().map(Line::brief).collect();
    let expected = [
        (Level::INFO, "not retrying: the outer session will retry"),
        (Level::INFO, "retrying at once"),
        (Level::DEBUG, "succeeded"),
        (Level::INFO, "succeeded after a retry"),
    ];
    assert_eq!(brief, expected);
}

/// O5: secrets are redacted.
#[test]
fn secrets_are_redacted_in_the_log() {
    let (log, _guard) = log(LevelFilter::TRACE);
    let _ = retry(&immediate(), fails(9)).named("GET https://u:s3cr3t@h/").call();
    let lines = log.lines();
    assert_eq!(lines.len(), 3);
    for line in &lines {
        assert_eq!(line.field("operation"), "GET https://u:***@h/");
        assert_eq!(line.field("error"), "HTTP 503, GET https://h/?token=***: unavailable");
    }
}

/// O2: all observers use the same session id.
#[cfg(feature = "record")]
#[test]
fn log_and_record_have_the_same_session_id() {
    let (log, _guard) = log(LevelFilter::TRACE);
    let memory = Memory::default();
    let recorder = Recorder::new(&memory);
    let id = recorder.id().to_string();
    retry(&immediate(), fails(1)).instrument(recorder).call().unwrap();
    assert!(log.lines().iter().all(|line| line.field("session") == id));
    assert_eq!(memory.sessions()[0].session_id, id);
}

/// O2: with the level WARN, only warnings are logged.
#[test]
fn disabled_level_is_not_logged() {
    let (log, _guard) = log(LevelFilter::WARN);
    retry(&immediate(), fails(2)).call().unwrap();
    retry(&immediate(), fails(0)).call().unwrap();
    assert!(log.lines().is_empty());
}

/// O2: the kind of fault does not matter: a final fault is given up at once.
#[test]
fn final_error_is_logged_as_warning() {
    let (log, _guard) = log(LevelFilter::TRACE);
    let _ = retry(&immediate(), || Err::<(), _>(Bad(Fault::of(Kind::Syntax)))).call();
    let lines = log.lines();
    assert_eq!(lines[0].brief(), (Level::WARN, "gave up: the error is not retryable"));
    assert_eq!((lines[0].field("rule"), lines[0].field("error")), ("request", "syntax"));
}
