//! The discovery of runs.

use example_replay::demo::service::Answer;

use crate::bench::{Bench, all_ended, good, in_short};

/// X1: a run is discovered once, however often and by any daemon it is found again.
#[tokio::test]
async fn run_is_discovered_once() {
    let bench = Bench::new().await;
    bench.record("shop/lamp", [good()]);
    bench.run_until(|runs| all_ended(runs, 1)).await;
    let first = bench.task("shop/lamp").await.id;

    // Another daemon, which does not know the run, and a new run.
    bench.record("shop/chair", [good()]);
    let runs = bench.run_until(|runs| all_ended(runs, 2)).await;
    assert_eq!(bench.task("shop/lamp").await.id, first);
    assert_eq!(in_short(&runs, "shop/lamp"), ("passed", 0, None));
    assert_eq!((bench.asked("shop/lamp"), bench.asked("shop/chair")), (1, 1));
}

/// X1: a run may appear at any time; incomplete recordings and files elsewhere are ignored.
#[tokio::test]
async fn runs_are_discovered_while_the_daemon_runs() {
    let bench = Bench::new().await;
    std::fs::write(bench.runs().join("stray.json"), "{}").unwrap();
    bench.record("shop/lamp", [good()]);
    std::fs::write(bench.runs().join("shop/half.json.part"), "{").unwrap();
    let daemon = bench.start(bench.config());
    bench.until(|runs| all_ended(runs, 1)).await;

    bench.record("search/oak", [good()]);
    let runs = bench.until(|runs| all_ended(runs, 2)).await;
    daemon.stop().await;
    assert_eq!(in_short(&runs, "search/oak").0, "passed");
}

/// D4: two daemons on one store share the work. Each has a concurrency of one here, and a run that the
/// service never answers occupies its daemon: when two such runs are running, both daemons have
/// worked.
#[tokio::test]
async fn two_daemons_share_the_runs() {
    let bench = Bench::new().await;
    let names: Vec<_> = (0..30).map(|number| format!("shop/item-{number:02}")).collect();
    names.iter().for_each(|name| bench.record(name, [good()]));
    let endless = ["shop/last", "shop/last-but-one"];
    endless.iter().for_each(|name| bench.record_on("2100-01-01", name, [Answer::Nothing]));
    let mut one_hand = bench.config();
    one_hand.concurrency = 1;
    let _daemons = [bench.start(one_hand.clone()), bench.start(one_hand)];

    bench.until(|_| endless.iter().all(|name| bench.asked(name) > 0)).await;
    let ended = bench.until(|runs| runs.iter().filter(|run| run.is_open).count() == 2).await;
    for run in ended {
        assert_eq!(bench.asked(&run.run), 1, "{}", run.run);
    }
}
