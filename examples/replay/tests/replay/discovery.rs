//! Which runs there are.

use crate::bench::{Bench, all_ended, good, in_short};

/// X1: a run is discovered once, however often and by whomever it is found again.
#[tokio::test]
async fn a_run_is_discovered_once() {
    let bench = Bench::new().await;
    bench.record("shop/lamp", [good()]);
    bench.run_until(|runs| all_ended(runs, 1)).await;
    let first = bench.task("shop/lamp").await.id;

    // Another daemon, to which it is new; and a run that is.
    bench.record("shop/chair", [good()]);
    let runs = bench.run_until(|runs| all_ended(runs, 2)).await;
    assert_eq!(bench.task("shop/lamp").await.id, first);
    assert_eq!(in_short(&runs, "shop/lamp"), ("passed", 0, None));
    assert_eq!((bench.asked("shop/lamp"), bench.asked("shop/chair")), (1, 1));
}

/// X1: a run may come at any time; what is no recording yet, or lies elsewhere, is none.
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

/// D4: two daemons on one store are one daemon with more hands.
#[tokio::test]
async fn two_daemons_share_the_runs() {
    const RUNS: usize = 30;
    let bench = Bench::new().await;
    let names: Vec<_> = (0..RUNS).map(|number| format!("shop/item-{number:02}")).collect();
    names.iter().for_each(|name| bench.record(name, [good()]));
    let daemons = [bench.start(bench.config()), bench.start(bench.config())];
    bench.until(|runs| all_ended(runs, RUNS)).await;
    for daemon in daemons {
        daemon.stop().await;
    }
    for name in &names {
        assert_eq!(bench.asked(name), 1, "{name}");
    }
}
