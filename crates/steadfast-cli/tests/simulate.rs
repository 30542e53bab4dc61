//! `steadfast simulate`: files, charts, and the examples of the documentation.

#![allow(clippy::unwrap_used, reason = "a test may panic")]

use std::fs;
use std::path::Path;
use std::process::{Command, Output};

use tempfile::tempdir;

fn simulate(folder: &Path, flags: &str) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_steadfast"));
    command.current_dir(folder).arg("simulate").args(flags.split(' ')).output().unwrap()
}

/// M1: the chart in the documentation is what the command draws.
#[test]
fn documented_storm_chart_is_current() {
    let folder = tempdir().unwrap();
    let drawn = simulate(folder.path(), "storm -o storm.svg");
    assert_eq!(drawn.status.code(), Some(0));
    let kept = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/storm.svg");
    let same = fs::read(kept).unwrap() == fs::read(folder.path().join("storm.svg")).unwrap();
    assert!(same, "regenerate it: steadfast simulate storm -o docs/storm.svg");
}

/// M1: flags override a scenario file.
#[test]
fn documented_scenario_can_be_simulated() {
    let folder = tempdir().unwrap();
    let page = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/simulator.md");
    let page = fs::read_to_string(page).unwrap();
    let (_, scenario) = page.split_once("```yaml\n").unwrap();
    let (scenario, _) = scenario.split_once("```").unwrap();
    fs::write(folder.path().join("it.yaml"), scenario).unwrap();
    let played = simulate(folder.path(), "--scenario it.yaml --clients 500 --json");
    assert!(played.stderr.is_empty(), "{}", String::from_utf8_lossy(&played.stderr));
    let printed: serde_json::Value = serde_json::from_slice(&played.stdout).unwrap();
    let field = |name: &str| printed.get(0).and_then(|outcome| outcome.get(name)).cloned().unwrap();
    assert_eq!(field("clients"), 500);
    for name in ["policy", "calls", "amplification", "completed", "gave_up", "peak_rps", "load"] {
        assert!(!field(name).is_null(), "{name}");
    }
}

/// An error in a scenario names its line.
#[test]
fn invalid_scenario_is_reported_with_its_line() {
    let folder = tempdir().unwrap();
    fs::write(folder.path().join("it.yaml"), "clients: 5\ncapasity: 3\n").unwrap();
    let refused = simulate(folder.path(), "--scenario it.yaml");
    let words = String::from_utf8(refused.stderr).unwrap();
    assert_eq!(refused.status.code(), Some(78));
    assert!(words.contains("capasity") && words.contains("line 2"), "{words}");
}
