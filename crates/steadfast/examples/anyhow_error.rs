//! An operation that returns `anyhow::Result`: the I/O error inside decides.
//!
//! `cargo run --example anyhow_error --features anyhow`

use anyhow::Context;
use steadfast::{Policy, retry};

fn read(path: &str) -> anyhow::Result<String> {
    std::fs::read_to_string(path).with_context(|| format!("cannot read {path}"))
}

fn main() -> anyhow::Result<()> {
    let policy = Policy::default();
    let manifest = retry(&policy, || read("Cargo.toml")).call()?;
    println!("{} bytes", manifest.len());
    if let Err(error) = retry(&policy, || read("missing.toml")).call() {
        println!("{:#}", anyhow::Error::from(error));
    }
    Ok(())
}
