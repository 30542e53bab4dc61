//! A new SQLite file for each run.

use std::process::Command;
use std::time::Duration;

use anyhow::{Context, Result};
use procfs::process::Process;

use super::cpu;
use super::process::PeerProcess;

/// Longer than any measured run takes.
const TIMEOUT: Duration = Duration::from_secs(180);

/// The resource usage of a run.
#[derive(Debug, Clone, Copy)]
pub struct Usage {
    /// The CPU seconds.
    pub cpu: f64,
    /// The bytes written to all files.
    pub written: f64,
}

/// Passes the path of a file in a temporary directory to `body`, and removes the directory after use.
pub fn with_file<T>(body: impl FnOnce(&str) -> Result<T>) -> Result<T> {
    let folder = tempfile::Builder::new().prefix("steadfast-bench-").tempdir()?;
    let file = folder.path().join("tasks.db");
    body(file.to_str().context("the path of the temporary directory is not UTF-8")?)
}

/// Runs a measured command and returns its results and its resource usage.
pub fn measure(command: &mut Command) -> Result<(Vec<f64>, Usage)> {
    let mut process = PeerProcess::start(command)?;
    let before = current_usage(&process)?;
    process.begin()?;
    let results = process.wait_done(TIMEOUT)?;
    let after = current_usage(&process)?;
    process.stop()?;
    let usage = Usage { cpu: after.cpu - before.cpu, written: after.written - before.written };
    Ok((results, usage))
}

fn current_usage(process: &PeerProcess) -> Result<Usage> {
    let written = Process::new(process.pid().cast_signed())?.io()?.wchar as f64;
    Ok(Usage { cpu: cpu::of_process(process.pid())?, written })
}
