//! Child processes: the other programs of this package, and external commands.

use std::path::PathBuf;

pub use steadfast_bench_builds::process::{Error, run};

/// The path of another program of this package, in the directory of the current one.
pub fn sibling(name: &str) -> Result<PathBuf, Error> {
    let program = std::env::current_exe()?.with_file_name(name);
    if !program.is_file() {
        return Err(format!("{} is missing: build with --bins", program.display()).into());
    }
    Ok(program)
}
