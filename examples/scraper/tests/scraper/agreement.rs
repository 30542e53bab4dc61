//! S4, migration phase 2: the old loops stay during the transition. X4: before a flag is turned,
//! old and new make the same attempts after the same delays and come to the same verdict.
//!
//! Both are watched from outside, by the calls that reach the operation, on a clock that jumps
//! and with the same chance, so that even the jitter of both must agree.

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
    ScraperError::of(Kind::ConnectionRefused, "ConnectionError", "nobody listens")
}

fn unreachable() -> ScraperError {
    ScraperError::of_page("net::ERR_INTERNET_DISCONNECTED")
}

/// What goes wrong with it, for every name: what S4 calls retryable, and what it does not.
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

/// What the operation saw: when it was called, from the first call on, and what came of it all.
#[derive(Debug, PartialEq)]
struct Course {
    calls: Vec<Duration>,
    verdict: Result<usize, ScraperError>,
}

/// The scraper before all flags are turned, and after.
struct Ways {
    old: RetryManager,
    new: RetryManager,
}

impl Ways {
    fn new() -> Self {
        let old = Scene::with_old("browser, navigation, telemetry").manager();
        Self { old, new: Scene::with_old("").manager() }
    }

    /// An operation that fails so often with this and then succeeds, one way and the other.
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
    // Old and new draw from this thread's chance, once for each delay.
    fastrand::seed(7);
    let verdict = manager.run("operation", name, manager.record(), attempt).await;
    Course { calls: calls.into_inner(), verdict }
}

/// X4, S4: every name of the mappings, every trouble, from success at once to none at all.
#[tokio::test(start_paused = true)]
async fn old_and_new_agree_on_every_case() {
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

/// The flag chooses the way: only the new one leaves a record.
#[tokio::test(start_paused = true)]
async fn the_flag_chooses_the_way() {
    let ways = Ways::new();
    for name in MAPPED {
        ways.both(name, 0, &timeout()).await;
    }
    assert_eq!(ways.old.journal.sessions().len(), 0);
    assert_eq!(ways.new.journal.sessions().len(), MAPPED.len());
}

/// J6: what S4 could not say. The server asks for ten seconds: the old loop comes too early and
/// has an attempt less, the new way comes when it was asked to, and has not used one up.
#[tokio::test(start_paused = true)]
async fn retry_after_is_heard_by_the_new_way_alone() {
    let limited = answer(429, Some("10"));
    let [old, new] =
        Ways::new().both("navigation.route_adaptation.retry_with_delay", 3, &limited).await;
    assert_eq!((old.calls.len(), old.verdict), (3, Err(limited)));
    assert_eq!(new.calls, [0, 10, 20, 30].map(Duration::from_secs));
    assert_eq!(new.verdict, Ok(4));
}

/// S4's figures, so that the two cannot agree on something else: attempts and the delays between
/// them, of which jitter may take a tenth.
#[tokio::test(start_paused = true)]
async fn both_do_what_s4_says() {
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
            let waited = course.calls.windows(2).map(|pair| pair[1] - pair[0]);
            let waited: Vec<_> = waited.map(|delay| delay.as_secs_f64()).collect();
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

/// X4: the list above is the file's own.
#[test]
fn every_mapping_of_the_file_is_compared() {
    let manager = Scene::with_old("").manager();
    let policies = manager.registry.policies();
    let mapped: Vec<_> = policies.mapped().iter().map(|mapped| mapped.name.as_str()).collect();
    assert_eq!(mapped, MAPPED);
}
