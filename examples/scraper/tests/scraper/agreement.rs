//! Agreement of legacy loops and policies: the same attempts after the same delays with the same result
//! (S4, migration phase 2; X4).
//!
//! The tests record the calls of the operation, on a paused clock and with the same random seed, so
//! that even the jitter of both must agree.

use std::cell::RefCell;
use std::time::Duration;

use example_scraper::error::ScraperError;
use example_scraper::manager::RetryManager;
use steadfast::Kind;
use tokio::time::Instant;

use super::{Scene, answer};

/// All names that the policy file maps.
const MAPPED: [&str; 12] = [
    "browser.state_operations.timeout",
    "browser.state_operations.network_error",
    "browser.state_operations.disk_full",
    "browser.monitoring_operations.timeout",
    "browser.monitoring_operations.access_denied",
    "browser.monitoring_operations.psutil_error",
    "browser.session_operations.default",
    "navigation.route_adaptation.retry_with_delay",
    "telemetry.error_handling.default",
    "telemetry.batch_processing.default",
    "telemetry.alerting.notification",
    "telemetry.simple_retries.default",
];

fn timeout() -> ScraperError {
    ScraperError::timeout(Duration::from_secs(30))
}

fn refused() -> ScraperError {
    ScraperError::of(Kind::ConnectionRefused, "ConnectionError", "connection refused")
}

fn unreachable() -> ScraperError {
    ScraperError::of_page("net::ERR_INTERNET_DISCONNECTED")
}

/// The errors for every name: those that S4 calls retryable, and others.
fn troubles() -> Vec<ScraperError> {
    let statuses = [400, 401, 404, 408, 429, 500, 502, 503, 504];
    let mut troubles: Vec<_> = statuses.map(|status| answer(status, None)).into();
    troubles.extend([timeout(), refused(), unreachable()]);
    troubles.push(ScraperError::of(Kind::Other, "ValueError", "no such state"));
    troubles.push(ScraperError::of(Kind::Other, "ProcessError", "no such process"));
    troubles.push(std::io::Error::from(std::io::ErrorKind::StorageFull).into());
    troubles.push(std::io::Error::from(std::io::ErrorKind::PermissionDenied).into());
    troubles
}

/// The calls of the operation, by time since the first, and the result.
#[derive(Debug, PartialEq)]
struct Course {
    calls: Vec<Duration>,
    verdict: Result<usize, ScraperError>,
}

/// The scraper with all legacy loops, and with all policies.
struct Ways {
    old: RetryManager,
    new: RetryManager,
}

impl Ways {
    fn new() -> Self {
        let old = Scene::with_old("browser, navigation, telemetry").manager();
        Self { old, new: Scene::with_old("").manager() }
    }

    /// Runs an operation that fails this many times and then succeeds, both ways.
    async fn both(
        &self,
        name: &'static str,
        failures: usize,
        trouble: &ScraperError,
    ) -> [Course; 2] {
        let old = course(&self.old, name, failures, trouble).await;
        let new = course(&self.new, name, failures, trouble).await;
        [old, new]
    }
}

async fn course(
    manager: &RetryManager,
    name: &'static str,
    failures: usize,
    trouble: &ScraperError,
) -> Course {
    let (began, calls) = (Instant::now(), RefCell::new(Vec::new()));
    let attempt = async || {
        let mut calls = calls.borrow_mut();
        calls.push(began.elapsed());
        if calls.len() > failures { Ok(calls.len()) } else { Err(trouble.clone()) }
    };
    // Both use this thread's random numbers, once per delay.
    fastrand::seed(7);
    let verdict = manager.run("operation", name, manager.record(), attempt).await;
    Course { calls: calls.into_inner(), verdict }
}

/// X4, S4: every name of the mappings, every error, from immediate success to none.
#[tokio::test(start_paused = true)]
async fn policies_and_legacy_loops_agree_on_every_case() {
    let ways = Ways::new();
    for name in MAPPED {
        for trouble in troubles() {
            for failures in 0..=5 {
                let [old, new] = ways.both(name, failures, &trouble).await;
                assert_eq!(old, new, "{name}, {failures} times {trouble}");
            }
        }
    }
}

/// The flag selects the implementation: only sessions under a policy are recorded.
#[tokio::test(start_paused = true)]
async fn flag_selects_the_implementation() {
    let ways = Ways::new();
    for name in MAPPED {
        ways.both(name, 0, &timeout()).await;
    }
    assert_eq!(ways.old.journal.sessions().len(), 0);
    assert_eq!(ways.new.journal.sessions().len(), MAPPED.len());
}

/// J2, J6: beyond S4. The server requests a wait of ten seconds: the legacy loop retries too early, the
/// policy waits as requested, and up to a tenth longer because it has jitter.
#[tokio::test(start_paused = true)]
async fn retry_after_is_honoured_only_by_policies() {
    let limited = answer(429, Some("10"));
    let [old, new] =
        Ways::new().both("navigation.route_adaptation.retry_with_delay", 2, &limited).await;
    assert!(waits(&old).all(|wait| wait < 10.0), "{old:?}");
    assert!(waits(&new).all(|wait| (10.0..=11.0).contains(&wait)), "{new:?}");
    assert_eq!((old.verdict, new.verdict), (Ok(3), Ok(3)));
}

/// The seconds between the calls.
fn waits(course: &Course) -> impl Iterator<Item = f64> {
    course.calls.windows(2).map(|pair| (pair[1] - pair[0]).as_secs_f64())
}

/// S4's numbers, so that both cannot agree on others: attempts and the delays between them, of which
/// jitter may take a tenth.
#[tokio::test(start_paused = true)]
async fn policies_and_legacy_loops_have_the_delays_of_s4() {
    let ways = Ways::new();
    let cases: [(&str, ScraperError, &[u64]); 5] = [
        ("browser.state_operations.timeout", timeout(), &[1, 2]),
        ("browser.state_operations.network_error", refused(), &[2, 4, 8, 16]),
        ("navigation.route_adaptation.retry_with_delay", refused(), &[2, 4]),
        ("telemetry.error_handling.default", refused(), &[1, 2]),
        // S4 lists a `ConnectionError` for it and no `NetworkError`.
        ("browser.state_operations.timeout", unreachable(), &[]),
    ];
    for (name, trouble, delays) in cases {
        for course in ways.both(name, 9, &trouble).await {
            let waited: Vec<_> = waits(&course).collect();
            assert_eq!(waited.len(), delays.len(), "{name}");
            for (waited, delay) in waited.into_iter().zip(delays) {
                let most = *delay as f64;
                // The clock's tick is a millisecond.
                assert!((0.9 * most..=most + 0.001).contains(&waited), "{name}: {waited}");
            }
            assert_eq!(course.verdict, Err(trouble.clone()));
        }
    }
}

/// X4: the list above matches the file.
#[test]
fn compared_names_are_those_of_the_file() {
    let manager = Scene::with_old("").manager();
    let policies = manager.registry.policies();
    let mapped: Vec<_> = policies.mapped().iter().map(|mapped| mapped.name.as_str()).collect();
    assert_eq!(mapped, MAPPED);
}
