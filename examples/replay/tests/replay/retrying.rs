//! Runs that are retried.

use std::time::Duration;

use jiff::Timestamp;

use crate::bench::{Bench, all_ended, busy, good, in_short, row, waits, waits_for};

/// S1, P6: the first retry after a minute, then twice as long up to an hour; after eight retries the
/// run fails. Each retry here is by another daemon, so the state is in the store (S1, D8).
#[tokio::test]
async fn run_is_retried_eight_times_with_doubling_delays() {
    let bench = Bench::new().await;
    bench.record("shop/lamp", [busy()]);
    for (retry, seconds) in (1..).zip([60, 120, 240, 480, 960, 1920, 3600, 3600]) {
        let runs = bench.run_until(|runs| waits_for(runs, "shop/lamp", retry)).await;
        assert_eq!(in_short(&runs, "shop/lamp").2, Some("retryable"));
        let due = row(&runs, "shop/lamp").unwrap().next_retry_at.as_deref().unwrap();
        let due: Timestamp = due.parse().unwrap();
        let failed = bench.task("shop/lamp").await.last_attempt_at.unwrap();
        assert_eq!(due.duration_since(failed).unsigned_abs(), Duration::from_secs(seconds));
        bench.make_due("shop/lamp").await;
    }
    let runs = bench.run_until(|runs| all_ended(runs, 1)).await;
    assert_eq!(in_short(&runs, "shop/lamp"), ("error", 8, Some("retryable")));
    let run = row(&runs, "shop/lamp").unwrap();
    assert_eq!(run.gave_up.as_deref(), Some("attempts_exhausted"));
    assert_eq!((run.next_retry_at.as_deref(), bench.asked("shop/lamp")), (None, 9));
    assert_eq!(bench.task("shop/lamp").await.faults.len(), 9, "a fault is missing");
}

/// S1: a retry that succeeds clears the columns; the history stays with the task.
#[tokio::test]
async fn verdict_clears_the_retry_columns() {
    let bench = Bench::new().await;
    bench.record("shop/lamp", [busy(), good()]);
    let runs = bench.run_until(|runs| waits(runs, "shop/lamp")).await;
    assert_eq!(in_short(&runs, "shop/lamp"), ("error", 1, Some("retryable")));

    bench.make_due("shop/lamp").await;
    let runs = bench.run_until(|runs| all_ended(runs, 1)).await;
    assert_eq!(in_short(&runs, "shop/lamp"), ("passed", 0, None));
    let run = row(&runs, "shop/lamp").unwrap();
    assert_eq!((&run.next_retry_at, &run.error), (&None, &None));
    assert_eq!(bench.task("shop/lamp").await.faults.len(), 1);
}

/// S1: a run that waits for its retry does not delay other runs.
#[tokio::test]
async fn new_runs_are_processed_while_a_retry_waits() {
    let bench = Bench::new().await;
    bench.record("shop/lamp", [busy()]);
    let daemon = bench.start(bench.config());
    bench.until(|runs| waits(runs, "shop/lamp")).await;

    bench.record("shop/chair", [good()]);
    let runs = bench.until(|runs| row(runs, "shop/chair").is_some_and(|run| !run.is_open)).await;
    daemon.stop().await;
    assert_eq!(in_short(&runs, "shop/chair").0, "passed");
    assert_eq!(bench.asked("shop/lamp"), 1);
}
