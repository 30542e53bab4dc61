//! The example itself, on a shorter storm.

use std::time::Duration;

use example_clickhouse::client::Settings;
use example_clickhouse::storm::Storm;

/// X3: no row is lost and none is stored twice.
#[tokio::test(flavor = "multi_thread")]
async fn no_row_is_lost_and_none_is_there_twice() {
    let storm = Storm {
        batches: 36,
        per_second: 12,
        rows: 20,
        mischief: 0.3,
        outage: (9, Duration::from_millis(500)),
        seed: 7,
    };
    let outcome = storm.run(crate::SERVER.address(), Storm::settings()).await.unwrap();
    assert_eq!((outcome.lost, outcome.twice), (0, 0), "{outcome:?}");
    assert!(outcome.stored_in_time > 0, "{outcome:?}");
}

/// The storm is one: who sends again without a thought stores rows twice in it.
#[tokio::test(flavor = "multi_thread")]
async fn immediate_retry_stores_rows_twice() {
    let storm = Storm { batches: 27, mischief: 0.5, ..Storm::default() };
    let outcome = storm.run(crate::SERVER.address(), Settings::naive()).await.unwrap();
    assert!(outcome.twice > 0, "{outcome:?}");
}
