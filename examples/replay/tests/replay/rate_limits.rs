//! Rate limits, with and without a retry hint.

use std::time::Duration;

use example_replay::config::{Config, Retry};
use example_replay::demo::service::{Answer, Limit};
use jiff::Timestamp;

use crate::bench::{Bench, all_ended, busy, good, in_short, row, waits, waits_for};

const HOUR: Duration = Duration::from_secs(3600);

/// No requests in this hour.
const CLOSED: Limit = Limit { requests: 0, per: HOUR, says_when: true };

/// S1, D8: `retry_after` is the delay, and does not count as a retry.
#[tokio::test]
async fn requested_wait_does_not_count_as_retry() {
    let bench = Bench::new().await;
    bench.record("search/oak", [good()]);
    bench.service.limit("search", CLOSED);
    let runs = bench.run_until(|runs| waits(runs, "search/oak")).await;
    assert_eq!(in_short(&runs, "search/oak"), ("error", 0, Some("rate_limited")));
    let task = bench.task("search/oak").await;
    assert_eq!((task.attempts, task.rate_limit_waits), (0, 1));
    assert_eq!(task.faults[0].next_delay, Some(3600.0));
    let due: Timestamp =
        row(&runs, "search/oak").unwrap().next_retry_at.clone().unwrap().parse().unwrap();
    assert_eq!(due, task.scheduled_at);
}

/// S1: without `retry_after` the backoff applies, and it counts as a retry. J6: a 429 is `rate_limited`
/// with and without a hint.
#[tokio::test]
async fn rejection_without_retry_after_uses_the_backoff() {
    let bench = Bench::new().await;
    bench.record("reports/may", [Answer::Later(None), Answer::Later(None), good()]);
    for (retry, delay) in [(1, 60.0), (2, 120.0)] {
        let runs = bench.run_until(|runs| waits_for(runs, "reports/may", retry)).await;
        assert_eq!(in_short(&runs, "reports/may").2, Some("rate_limited"));
        let task = bench.task("reports/may").await;
        assert_eq!(task.faults.last().unwrap().next_delay, Some(delay));
        bench.make_due("reports/may").await;
    }
    let runs = bench.run_until(|runs| all_ended(runs, 1)).await;
    assert_eq!(in_short(&runs, "reports/may"), ("passed", 0, None));
}

/// J2: a hint of zero is no wait, so the backoff applies and the run fails when its retries are used up.
#[tokio::test]
async fn run_that_is_always_rate_limited_fails() {
    let bench = Bench::new().await;
    bench.record("search/oak", [busy(), Answer::Later(Some(Duration::ZERO))]);
    let retry = Retry {
        max_retries: Some(4),
        base_delay: Some(Duration::from_millis(10)),
        ..Retry::default()
    };
    let runs = bench.run_as(Config { retry, ..bench.config() }, |runs| all_ended(runs, 1)).await;
    assert_eq!(in_short(&runs, "search/oak"), ("error", 4, Some("rate_limited")));
    let gave_up = row(&runs, "search/oak").unwrap().gave_up.as_deref();
    assert_eq!(gave_up, Some("attempts_exhausted"));
    assert_eq!(bench.asked("search/oak"), 5);
}

/// D17, S1: the other runs of its category wait with it and are not refused one by one; runs of other
/// categories continue.
#[tokio::test]
async fn wait_holds_only_its_category() {
    let bench = Bench::new().await;
    bench.record("search/ash", [good()]);
    bench.service.limit("search", CLOSED);
    let daemon = bench.start(bench.config());
    bench.until(|runs| waits(runs, "search/ash")).await;

    bench.record("search/elm", [good()]);
    bench.record("shop/lamp", [good()]);
    let done = |runs: &[_]| runs.len() == 3 && in_short(runs, "shop/lamp").0 == "passed";
    let runs = bench.until(done).await;
    daemon.stop().await;
    assert_eq!(in_short(&runs, "search/elm"), ("discovered", 0, None));
    assert_eq!((bench.asked("search/ash"), bench.asked("search/elm")), (1, 0));
}

/// S1: a real limit of two a second, and six runs: all succeed, and no run sends two requests within a
/// second. So there are six requests at first, then four of the refused runs, then two.
#[tokio::test]
async fn rate_limited_service_is_called_at_its_rate() {
    let bench = Bench::new().await;
    let names = ["ash", "elm", "fir", "lime", "oak", "yew"].map(|tree| format!("search/{tree}"));
    names.iter().for_each(|name| bench.record(name, [good()]));
    let two_a_second = Limit { requests: 2, per: Duration::from_secs(1), says_when: true };
    bench.service.limit("search", two_a_second);

    let runs = bench.run_until(|runs| all_ended(runs, names.len())).await;
    for name in &names {
        assert_eq!(in_short(&runs, name), ("passed", 0, None));
        assert_eq!(bench.task(name).await.attempts, 1, "a wait was counted as an attempt");
    }
    let asked = bench.service.asked().len();
    assert!(asked <= 6 + 4 + 2, "{asked} requests");
}
