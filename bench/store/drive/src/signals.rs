//! The signals between a peer's process and the benchmark, as lines on standard input and output.

use std::io::{self, Write};

use anyhow::{Result, bail};

/// Printed when the action is prepared.
pub const READY: &str = "READY";
/// Printed with the results when the action is done.
pub const DONE: &str = "DONE";

/// Prints `READY` and waits for the start signal.
pub(crate) async fn ready() -> Result<()> {
    write_line(READY)?;
    if read_line().await? == 0 {
        bail!("standard input closed before the start signal");
    }
    Ok(())
}

/// Prints `DONE` with the results and waits until standard input closes.
pub(crate) async fn done(results: &[f64]) -> Result<()> {
    let results: String = results.iter().map(|result| format!(" {result:.6}")).collect();
    write_line(&format!("{DONE}{results}"))?;
    while read_line().await? > 0 {}
    Ok(())
}

fn write_line(line: &str) -> Result<()> {
    let mut out = io::stdout().lock();
    writeln!(out, "{line}")?;
    Ok(out.flush()?)
}

/// Reads a line and returns its length, or 0 at the end of the input.
async fn read_line() -> Result<usize> {
    let line = tokio::task::spawn_blocking(|| io::stdin().read_line(&mut String::new()));
    Ok(line.await??)
}
