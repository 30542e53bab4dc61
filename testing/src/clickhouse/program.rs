//! Where ClickHouse's program is.

use std::path::PathBuf;

use crate::Error;

const NAME: &str = "clickhouse-server";

/// Where Debian keeps it, which is not on everybody's PATH.
const DEBIAN: &str = "/usr/sbin";

/// The server's program: on the PATH, or where Debian keeps it.
pub fn program() -> Result<PathBuf, Error> {
    let path = std::env::var_os("PATH").unwrap_or_default();
    let directories = std::env::split_paths(&path).chain([PathBuf::from(DEBIAN)]);
    let found = directories.map(|directory| directory.join(NAME)).find(|file| file.is_file());
    found.ok_or_else(|| {
        Error::new(
            "no ClickHouse server on this machine",
            "install it (on Debian and Ubuntu: apt-get install --no-install-recommends \
             clickhouse-server)",
        )
    })
}
