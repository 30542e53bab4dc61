//! Signals between a peer's process and the benchmark.

use std::io::{self, Write};

use anyhow::{Result, bail};

/// Everything is prepared.
pub const READY: &str = "READY";
/// It is done; the figures follow.
pub const DONE: &str = "DONE";

/// Reports that everything is prepared, and waits for the start.
pub(crate) async fn ready() -> Result<()> {
    say(READY)?;
    if hear().await? == 0 {
        bail!("not let go: the input ended");
    }
    Ok(())
}

/// Prints the results, and waits until standard input closes.
pub(crate) async fn done(figures: &[f64]) -> Result<()> {
    let figures: String = figures.iter().map(|figure| format!(" {figure:.6}")).collect();
    say(&format!("{DONE}{figures}"))?;
    while hear().await? > 0 {}
    Ok(())
}

fn say(line: &str) -> Result<()> {
    let mut out = io::stdout().lock();
    writeln!(out, "{line}")?;
    Ok(out.flush()?)
}

/// The length of the next line, 0 at the end.
async fn hear() -> Result<usize> {
    let line = tokio::task::spawn_blocking(|| io::stdin().read_line(&mut String::new()));
    Ok(line.await??)
}
