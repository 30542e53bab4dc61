//! The demo of a few seconds: every verdict, every kind of error, a rate limit, and a crash.
//!
//! The service is in this process; the daemon is a separate process, because it is killed.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use serde_json::{Value, json};
use tempfile::TempDir;
use tokio::process::{Child, Command};
use tokio::time::sleep;

use super::service::{Answer, Limit, Service};
use super::table::{read, table};
use crate::daemon::Problem;

/// A tenth of a second instead of a minute, and a second instead of an hour.
const HURRY: [&str; 6] = [
    "--base-delay=100ms",
    "--max-delay=1s",
    "--max-retries=3",
    "--lease=2s",
    "--look-every=100ms",
    "--until-done",
];

/// Runs the demo, in a temporary directory unless one is given.
///
/// # Errors
/// The result differs from the expected one, or the system failed.
pub async fn run(kept: Option<PathBuf>) -> Result<(), Problem> {
    let thrown_away = TempDir::new()?;
    let place = kept.unwrap_or_else(|| thrown_away.path().to_owned());
    let (runs, store) = (place.join("runs"), place.join("replay.db"));
    if store.exists() {
        return Err(
            format!("{} already contains a demo; use another directory", place.display()).into()
        );
    }
    let service = Service::start().await?;
    let recorded = record_all(&runs, &service)?;
    println!("{recorded} recordings, service with scripted failures at {}\n", service.url());

    println!("== a daemon, killed while it replays video/tour ==");
    let mut daemon = start(&runs, &store, &service)?;
    tokio::select! {
        () = only_the_video_is_under_way(&store) => {}
        ended = daemon.wait() => return Err(format!("the daemon ended early: {}", ended?).into()),
    }
    daemon.kill().await?;
    println!("\n== kill -9: the runs now ==\n{}", table(&read(&store).await?));

    println!("\n== the next daemon ==");
    let ended = start(&runs, &store, &service)?.wait().await?;
    if !ended.success() {
        return Err(format!("the daemon failed: {ended}").into());
    }
    let rows = read(&store).await?;
    println!("\n== the SQL view `runs` ==\n{}", table(&rows));
    let (open, asked) = (rows.iter().filter(|run| run.is_open).count(), service.asked().len());
    println!("\n{} runs, {open} open; {asked} requests to the service", rows.len());
    Ok(())
}

/// The service never answers the first request for the video, so the daemon can be killed during this
/// request while all other runs are idle.
async fn only_the_video_is_under_way(store: &Path) {
    loop {
        let runs = read(store).await.unwrap_or_default();
        let under_way = runs.iter().filter(|run| run.status == "processing");
        if under_way.map(|run| &run.run).eq(["video/tour"]) {
            return;
        }
        sleep(Duration::from_millis(5)).await;
    }
}

fn start(runs: &Path, store: &Path, service: &Service) -> std::io::Result<Child> {
    let mut daemon = Command::new(std::env::current_exe()?);
    daemon.arg("daemon").arg("--runs").arg(runs).arg("--store").arg(store);
    daemon.args(["--service", service.url()]).args(HURRY).kill_on_drop(true).spawn()
}

/// Writes the recordings, and scripts the service. Returns the number of recordings.
fn record_all(runs: &Path, service: &Service) -> std::io::Result<usize> {
    let price = |amount: u32| json!({ "price": amount });
    let (busy, gone) = (Answer::Status(503), Answer::Status(404));
    let with_stock = Answer::Body(json!({ "price": 80, "stock": 3 }));

    let script = [
        ("catalogue/lamp", price(20), vec![Answer::Body(price(20))]),
        ("catalogue/chair", price(80), vec![with_stock]),
        ("catalogue/desk", price(150), vec![Answer::Body(price(160))]),
        ("catalogue/ghost", price(1), vec![gone]),
        ("checkout/card", price(5), vec![busy.clone(), busy.clone(), Answer::Body(price(5))]),
        ("checkout/gift", price(7), vec![busy]),
        ("search/ash", price(1), vec![Answer::Body(price(1))]),
        ("search/elm", price(2), vec![Answer::Body(price(2))]),
        ("search/oak", price(3), vec![Answer::Body(price(3))]),
        ("search/fir", price(6), vec![Answer::Body(price(6))]),
        ("reports/may", price(4), vec![Answer::Later(None), Answer::Body(price(4))]),
        ("video/tour", price(9), vec![Answer::Nothing, Answer::Body(price(9))]),
    ];
    // Sends `Retry-After`; the reports above do not.
    service.limit("search", Limit { requests: 2, per: Duration::from_secs(1), says_when: true });
    let count = script.len();
    for (name, answer, answers) in script {
        service.answers(&format!("/{name}"), answers);
        record(runs, name, &answer)?;
    }
    Ok(count)
}

/// Writes one recording.
///
/// # Errors
/// It cannot be written.
pub fn record(runs: &Path, name: &str, answer: &Value) -> std::io::Result<()> {
    let file = runs.join(name).with_extension("json");
    if let Some(directory) = file.parent() {
        fs::create_dir_all(directory)?;
    }
    fs::write(file, json!({ "path": format!("/{name}"), "answer": answer }).to_string())
}
