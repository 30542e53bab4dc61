//! An SQLite file of its own for each run.

use std::process::Command;
use std::time::Duration;

use anyhow::{Context, Result};
use procfs::process::Process;

use super::cpu;
use super::process::Measured;

/// A drain that takes longer has stalled.
const PATIENCE: Duration = Duration::from_secs(180);

/// What a run cost.
#[derive(Debug, Clone, Copy)]
pub struct Spent {
    /// Seconds of CPU.
    pub cpu: f64,
    /// Bytes that were written, to whichever file.
    pub written: f64,
}

/// Makes a place for a file, and removes it after use.
pub fn with_file<T>(used: impl FnOnce(&str) -> Result<T>) -> Result<T> {
    let folder = tempfile::Builder::new().prefix("steadfast-bench-").tempdir()?;
    let file = folder.path().join("tasks.db");
    used(file.to_str().context("the temporary folder has a name that is no text")?)
}

/// Runs what is to be measured, for its figures and what it cost.
pub fn measure(command: &mut Command) -> Result<(Vec<f64>, Spent)> {
    let mut measured = Measured::ready(command)?;
    let before = spent(&measured)?;
    measured.go()?;
    let figures = measured.done(PATIENCE)?;
    let after = spent(&measured)?;
    measured.end()?;
    let spent = Spent { cpu: after.cpu - before.cpu, written: after.written - before.written };
    Ok((figures, spent))
}

fn spent(measured: &Measured) -> Result<Spent> {
    let written = Process::new(measured.pid().cast_signed())?.io()?.wchar as f64;
    Ok(Spent { cpu: cpu::of(measured.pid())?, written })
}
