//! Verdicts of runs that are tried once.

use example_replay::demo::service::Answer;
use serde_json::json;

use crate::bench::{Bench, all_ended, file, good, in_short, row};

/// X1: passed, needs review and failed each complete the run without an error.
#[tokio::test]
async fn runs_get_their_verdicts() {
    let bench = Bench::new().await;
    bench.record("shop/lamp", [good()]);
    bench.record("shop/chair", [Answer::Body(json!({ "price": 20, "stock": 3 }))]);
    bench.record("shop/desk", [Answer::Body(json!({ "price": 21 }))]);

    let runs = bench.run_until(|runs| all_ended(runs, 3)).await;
    assert_eq!(in_short(&runs, "shop/lamp"), ("passed", 0, None));
    assert_eq!(in_short(&runs, "shop/chair"), ("needs_review", 0, None));
    assert_eq!(in_short(&runs, "shop/desk"), ("failed", 0, None));
    let differences = |name| row(&runs, name).unwrap().differences.as_deref();
    assert_eq!(differences("shop/lamp"), None);
    assert_eq!(differences("shop/chair"), Some("/stock is new"));
    assert_eq!(differences("shop/desk"), Some("/price was 20 and is 21"));
}

/// S1: a final error is not a verdict and is not retried: the service responds with 404, or the
/// recording is invalid.
#[tokio::test]
async fn final_error_stays_an_error() {
    let bench = Bench::new().await;
    bench.record("shop/ghost", [Answer::Status(404)]);
    bench.record("shop/torn", [good()]);
    std::fs::write(file(&bench.runs(), "shop/torn"), "{\"path\": \"/shop/to").unwrap();

    let runs = bench.run_until(|runs| all_ended(runs, 2)).await;
    for name in ["shop/ghost", "shop/torn"] {
        assert_eq!(in_short(&runs, name), ("error", 0, Some("final")));
        let run = row(&runs, name).unwrap();
        assert_eq!((run.next_retry_at.as_deref(), run.gave_up.as_deref()), (None, Some("final")));
    }
    assert_eq!((bench.asked("shop/ghost"), bench.asked("shop/torn")), (1, 0));
    let torn = row(&runs, "shop/torn").unwrap().error.as_deref().unwrap();
    assert!(torn.contains("invalid recording"), "{torn}");
}

/// S1: a recording that is deleted before its run is an error of that run only.
#[tokio::test]
async fn missing_recording_is_an_error() {
    let bench = Bench::new().await;
    let mut other = bench.config();
    other.categories = vec!["other".to_owned()];
    bench.record("shop/lamp", [good()]);
    bench.run_as(other, |runs| runs.len() == 1).await;
    std::fs::remove_file(file(&bench.runs(), "shop/lamp")).unwrap();

    let runs = bench.run_until(|runs| all_ended(runs, 1)).await;
    assert_eq!(in_short(&runs, "shop/lamp"), ("error", 0, Some("final")));
}
