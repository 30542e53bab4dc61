//! The path of ClickHouse's program.

use std::path::PathBuf;

use crate::Error;

const NAME: &str = "clickhouse-server";

/// Debian's directory, which is not on every user's PATH.
const DEBIAN: &str = "/usr/sbin";

/// The server's program: on the PATH, or in Debian's directory.
pub fn program() -> Result<PathBuf, Error> {
    let path = std::env::var_os("PATH").unwrap_or_default();
    let directories = std::env::split_paths(&path).chain([PathBuf::from(DEBIAN)]);
    let found = directories.map(|directory| directory.join(NAME)).find(|file| file.is_file());
    found.ok_or_else(|| {
        Error::new(
            "ClickHouse server not found",
            "install it (on Debian and Ubuntu: apt-get install --no-install-recommends \
             clickhouse-server)",
        )
    })
}
