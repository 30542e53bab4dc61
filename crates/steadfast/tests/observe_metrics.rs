//! The figures that `Metrics` counts, read as an exporter would read them (O3).

#![allow(clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking")]
#![cfg(all(feature = "metrics", feature = "tokio"))]

use std::collections::BTreeMap;
use std::future::pending;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

use metrics_util::debugging::{DebugValue, DebuggingRecorder, Snapshotter};
use steadfast::guard::{Breaker, BreakerSettings};
use steadfast::observe::Metrics;
use steadfast::{CancelHandle, Failure, Fault, Hint, Policy, retry};

#[derive(Clone, Debug)]
struct Bad(Fault);

impl Failure for Bad {
    fn fault(&self) -> Fault {
        self.0.clone()
    }
}

/// What has been counted: `name{label=value,…}` and how much.
fn counted(snapshotter: &Snapshotter) -> BTreeMap<String, Vec<f64>> {
    let snapshot = snapshotter.snapshot().into_vec();
    let named = snapshot.into_iter().map(|(key, _, _, value)| {
        let key = key.key();
        let mut labels: Vec<_> =
            key.labels().map(|label| format!("{}={}", label.key(), label.value())).collect();
        labels.sort();
        let value = match value {
            DebugValue::Counter(count) => vec![count as f64],
            DebugValue::Gauge(level) => vec![level.into_inner()],
            DebugValue::Histogram(values) => {
                values.iter().map(|value| value.into_inner()).collect()
            }
        };
        (format!("{}{{{}}}", key.name(), labels.join(",")), value)
    });
    named.filter(|(_, value)| value.iter().any(|count| *count != 0.0)).collect()
}

/// Runs with metrics of `op`; what was counted.
fn measured(of: impl FnOnce(&Metrics)) -> BTreeMap<String, Vec<f64>> {
    let recorder = DebuggingRecorder::new();
    let snapshotter = recorder.snapshotter();
    metrics::with_local_recorder(&recorder, || of(&Metrics::new("op")));
    counted(&snapshotter)
}

fn expected<const N: usize>(lines: [(&str, &[f64]); N]) -> BTreeMap<String, Vec<f64>> {
    lines.map(|(name, values)| (name.to_owned(), values.to_vec())).into()
}

fn runtime() -> tokio::runtime::Runtime {
    tokio::runtime::Builder::new_current_thread().enable_time().start_paused(true).build().unwrap()
}

#[test]
fn sessions_retries_and_delays_are_counted() {
    let counted = measured(|metrics| {
        let policy = Policy::exponential(Duration::from_secs(1)).max_attempts(4).build().unwrap();
        let tries = AtomicU32::new(0);
        let session = retry(&policy, || async {
            match tries.fetch_add(1, Ordering::Relaxed) {
                0 | 1 => Err(Bad(Fault::http(503))),
                2 => Err(Bad(Fault::http(429).with_hint(Hint::After(Duration::from_secs(7))))),
                _ => Ok(()),
            }
        });
        runtime().block_on(session.instrument(metrics).into_future()).unwrap();
        retry(&policy, || Ok::<_, Bad>(())).instrument(metrics).call().unwrap();
    });
    let expected = expected([
        ("steadfast_sessions_total{operation=op,outcome=success}", &[2.0]),
        ("steadfast_retries_total{class=retryable,operation=op}", &[2.0]),
        ("steadfast_retries_total{class=rate_limited,operation=op}", &[1.0]),
        ("steadfast_retry_delay_seconds{operation=op}", &[1.0, 2.0, 7.0]),
    ]);
    assert_eq!(counted, expected);
}

#[test]
fn give_ups_are_counted_by_reason() {
    let counted = measured(|metrics| {
        let policy = Policy::immediate().max_attempts(2).build().unwrap();
        let fail = |status| {
            let _ = retry(&policy, || Err::<(), _>(Bad(Fault::http(status))))
                .instrument(metrics)
                .call();
        };
        fail(503);
        fail(404);
        fail(404);
    });
    let expected = expected([
        ("steadfast_sessions_total{operation=op,outcome=failure}", &[3.0]),
        ("steadfast_give_ups_total{operation=op,reason=attempts_exhausted}", &[1.0]),
        ("steadfast_give_ups_total{operation=op,reason=final}", &[2.0]),
        ("steadfast_retries_total{class=retryable,operation=op}", &[1.0]),
        ("steadfast_retry_delay_seconds{operation=op}", &[0.0]),
    ]);
    let mut counted = counted;
    // A histogram of nothing but zeros is left out above.
    counted.entry("steadfast_retry_delay_seconds{operation=op}".to_owned()).or_insert(vec![0.0]);
    assert_eq!(counted, expected);
}

/// I6: cancelled by handle or dropped, it is neither success nor failure.
#[test]
fn cancelled_sessions_are_counted_as_cancelled() {
    let counted = measured(|metrics| {
        let policy = Policy::immediate().build().unwrap();
        let handle = CancelHandle::new();
        handle.cancel();
        let cancelled = retry(&policy, || Ok::<_, Bad>(())).cancel_with(&handle);
        assert!(cancelled.instrument(metrics).call().is_err());
        runtime().block_on(async {
            let session = retry(&policy, pending::<Result<(), Bad>>).instrument(metrics);
            let limit = Duration::from_secs(1);
            assert!(tokio::time::timeout(limit, session.into_future()).await.is_err());
        });
    });
    let expected = expected([("steadfast_sessions_total{operation=op,outcome=cancelled}", &[2.0])]);
    assert_eq!(counted, expected);
}

#[test]
fn breaker_changes_are_counted_by_new_state() {
    let counted = measured(|metrics| {
        let policy = Policy::immediate().max_attempts(1).build().unwrap();
        let settings = BreakerSettings::consecutive(1, Duration::from_secs(60));
        let breaker = Breaker::new(settings).unwrap();
        let down = || Err::<(), _>(Bad(Fault::http(503)));
        let _ = retry(&policy, down).breaker(&breaker).instrument(metrics).call();
    });
    let opened = "steadfast_breaker_changes_total{operation=op,to=open}";
    assert_eq!(counted.get(opened), Some(&vec![1.0]));
}
