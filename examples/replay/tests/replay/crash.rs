//! Recovery after a killed daemon.

use std::collections::HashMap;
use std::process::Stdio;

use example_replay::demo::service::Answer;
use example_replay::demo::table::{self, Run};
use tokio::process::{Child, Command};

use crate::bench::{Bench, all_ended, good, in_short, row};

/// A daemon in its own process, with short delays.
fn start(bench: &Bench) -> Child {
    let mut daemon = Command::new(env!("CARGO_BIN_EXE_example-replay"));
    daemon.arg("daemon").arg("--runs").arg(bench.runs()).arg("--store").arg(bench.store());
    daemon.args(["--service", bench.service.url(), "--look-every", "20ms", "--lease", "2s"]);
    daemon.args(["--base-delay", "10ms", "--max-delay", "100ms", "--max-retries", "50"]);
    daemon.arg("--until-done").kill_on_drop(true).stderr(Stdio::null()).spawn().unwrap()
}

/// X1, D7: a run of a killed daemon is reclaimed, with the loss in its history.
#[tokio::test]
async fn interrupted_run_is_processed_by_the_next_daemon() {
    let bench = Bench::new().await;
    bench.record("shop/lamp", [good()]);
    bench.record("video/tour", [Answer::Nothing, good()]);
    let mut daemon = start(&bench);
    let cut = |runs: &[Run]| {
        let is = |name, status: &str| row(runs, name).is_some_and(|run| run.status == status);
        is("shop/lamp", "passed") && is("video/tour", "processing")
    };
    bench.until(cut).await;
    bench.service.until(|asked| asked.iter().any(|path| path == "/video/tour")).await;
    daemon.kill().await.unwrap();

    assert!(start(&bench).wait().await.unwrap().success());
    let runs = bench.until(|runs| all_ended(runs, 2)).await;
    assert_eq!(in_short(&runs, "video/tour"), ("passed", 0, None));
    assert_eq!((bench.asked("video/tour"), bench.asked("shop/lamp")), (2, 1));
    let faults = bench.task("video/tour").await.faults;
    assert_eq!(faults.len(), 1);
    assert!(faults[0].message.contains("was lost"), "{}", faults[0].message);
}

/// X1, D4: a daemon is killed at random moments: no run is lost, and no run that has ended runs
/// again.
#[tokio::test]
async fn kills_at_any_moment_lose_nothing_and_end_nothing_twice() {
    const RUNS: usize = 40;
    const KILLS: usize = 5;
    let bench = Bench::new().await;
    let names: Vec<_> = (0..RUNS).map(|number| format!("shop/item-{number:02}")).collect();
    names.iter().for_each(|name| bench.record(name, [good()]));

    // The number of requests for each run when it was first found to have ended.
    let mut ended = HashMap::new();
    for kill in 0..KILLS {
        let mut daemon = start(&bench);
        let enough = RUNS / KILLS * kill + fastrand::usize(1..=RUNS / KILLS);
        tokio::select! {
            () = bench.service.until(|asked| asked.len() >= enough) => {}
            _ = daemon.wait() => {}
        }
        // A daemon that has ended need not be killed.
        let _ = daemon.kill().await;
        let runs = table::read(&bench.store()).await.unwrap();
        for run in runs.iter().filter(|run| !run.is_open) {
            ended.entry(run.run.clone()).or_insert_with(|| bench.asked(&run.run));
        }
    }
    assert!(start(&bench).wait().await.unwrap().success());

    let runs = bench.until(|runs| all_ended(runs, RUNS)).await;
    for name in &names {
        assert_eq!(in_short(&runs, name), ("passed", 0, None));
        let lost = bench.task(name).await.faults.len();
        assert!(bench.asked(name) <= 1 + lost, "{name}: each repeated request follows a loss");
    }
    assert!(!ended.is_empty(), "no run had ended before the last daemon");
    for (name, asked) in ended {
        assert_eq!(bench.asked(&name), asked, "{name} had ended");
    }
}
