//! The store of the server report.

use std::path::{Path, PathBuf};
use std::process::Command;

use steadfast_bench::programs::{Error, run};

const FULL_STORE_TASKS: u32 = 1_000_000;

/// Creates a full store with the example program `fill`, which is built together with the CLI.
pub(crate) fn create_full(cli: &Path, folder: &Path) -> Result<PathBuf, Error> {
    let store = folder.join("full.db");
    let fill = cli.with_file_name("examples").join("fill");
    run(Command::new(fill).arg(url(&store)).arg(FULL_STORE_TASKS.to_string()))?;
    Ok(store)
}

/// The URL of a SQLite store.
pub(crate) fn url(store: &Path) -> String {
    format!("sqlite:{}", store.display())
}
