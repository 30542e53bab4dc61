//! A store of a million tasks.

use std::path::{Path, PathBuf};
use std::process::Command;

use steadfast_bench::programs::{Error, run};

const TASKS: u32 = 1_000_000;

/// Has one made by the store's example, which was built with the command line.
pub(crate) fn filled(cli: &Path, folder: &Path) -> Result<PathBuf, Error> {
    let store = folder.join("full.db");
    let fill = cli.with_file_name("examples").join("fill");
    run(Command::new(fill).arg(url(&store)).arg(TASKS.to_string()))?;
    Ok(store)
}

/// What a store in this file is named by.
pub(crate) fn url(store: &Path) -> String {
    format!("sqlite:{}", store.display())
}
