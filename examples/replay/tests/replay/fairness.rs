//! Fairness between categories.

use crate::bench::{Bench, all_ended, busy, good, in_short, waits};

/// S1's example: among due runs the oldest is claimed first, new or retried.
///
/// | submitted | status | next retry | order |
/// |---|---|---|---|
/// | 01-01 | error | 01-05, which has come | 1 |
/// | 01-03 | discovered | | 2 |
/// | 01-04 | discovered | | 3 |
/// | 01-04 | error | 01-06, which has not | |
///
/// By name the order would be reversed. A run is submitted when it is discovered: the first of these
/// by itself, the others together.
#[tokio::test]
async fn new_runs_and_retries_compete_by_their_age() {
    let bench = Bench::new().await;
    bench.record_on("2024-01-01", "daily/zinnia", [busy(), good()]);
    bench.run_until(|runs| waits(runs, "daily/zinnia")).await;

    bench.record_on("2024-01-03", "daily/tulip", [good()]);
    bench.record_on("2024-01-04", "daily/rose", [good()]);
    bench.record_on("2024-01-04", "late/aster", [busy(), good()]);
    // Only the last has been attempted by the 5th.
    let mut late = bench.config();
    late.categories = vec!["late".to_owned()];
    let runs = bench.run_as(late, |runs| waits(runs, "late/aster")).await;
    let table: Vec<_> = runs.iter().map(|run| (run.run.as_str(), run.status.as_str())).collect();
    let expected = [
        ("daily/zinnia", "error"),
        ("daily/tulip", "discovered"),
        ("daily/rose", "discovered"),
        ("late/aster", "error"),
    ];
    assert_eq!(table, expected);

    bench.make_due("daily/zinnia").await;
    let before = bench.service.asked().len();
    let mut one_at_a_time = bench.config();
    one_at_a_time.concurrency = 1;
    let done = |runs: &[_]| in_short(runs, "daily/rose").0 == "passed";
    let runs = bench.run_as(one_at_a_time, done).await;
    let order = bench.service.asked().split_off(before);
    assert_eq!(order, ["/daily/zinnia", "/daily/tulip", "/daily/rose"]);
    assert!(waits(&runs, "late/aster"));
}

/// S1: a backlog that is discovered at once is processed in the order in which it was written.
#[tokio::test]
async fn backlog_is_processed_oldest_first() {
    let bench = Bench::new().await;
    let days = [("c", "2024-01-01"), ("a", "2024-01-02"), ("d", "2024-01-03"), ("b", "2024-01-04")];
    for (name, day) in days {
        bench.record_on(day, &format!("daily/{name}"), [good()]);
    }
    let mut one_at_a_time = bench.config();
    one_at_a_time.concurrency = 1;
    bench.run_as(one_at_a_time, |runs| all_ended(runs, 4)).await;
    assert_eq!(bench.service.asked(), ["/daily/c", "/daily/a", "/daily/d", "/daily/b"]);
}

/// S1: a daemon processes only its configured categories.
#[tokio::test]
async fn daemon_processes_only_its_categories() {
    let bench = Bench::new().await;
    for name in ["shop/lamp", "search/oak", "video/tour"] {
        bench.record(name, [good()]);
    }
    let mut config = bench.config();
    config.categories = vec!["shop".to_owned(), "video".to_owned()];
    // It ends when its own categories are done.
    config.until_done = true;
    example_replay::daemon::run(config, std::future::pending()).await.unwrap();
    let runs = bench.until(|runs| runs.len() == 3).await;
    assert_eq!(in_short(&runs, "shop/lamp").0, "passed");
    assert_eq!(in_short(&runs, "video/tour").0, "passed");
    assert_eq!(in_short(&runs, "search/oak"), ("discovered", 0, None));
    assert_eq!(bench.asked("search/oak"), 0);
}
