//! The paths of PostgreSQL's programs.
//!
//! On Debian the server's programs are not on the PATH, but in a directory per version.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use super::TEST_SERVER;
use crate::Error;

const DEBIAN: &str = "/usr/lib/postgresql";
const SERVER: &[&str] = &["initdb", "postgres", "pg_isready", "psql"];
const CLIENT: &[&str] = &["psql"];

/// The directory of a server's programs: that of `pg_config --bindir`, else Debian's newest, else on
/// the PATH.
pub fn programs() -> Result<PathBuf, Error> {
    let found = candidates().into_iter().find(|directory| missing(directory, SERVER).is_empty());
    found.ok_or_else(|| not_installed("server"))
}

/// The path of psql, which a machine may have without a server.
pub(super) fn psql() -> Result<PathBuf, Error> {
    let found = candidates().into_iter().find(|directory| missing(directory, CLIENT).is_empty());
    found.map(|directory| directory.join("psql")).ok_or_else(|| not_installed("client"))
}

/// Checks that the programs of a server are in `directory`.
pub(super) fn check(directory: &Path) -> Result<(), Error> {
    let missing = missing(directory, SERVER);
    if missing.is_empty() {
        return Ok(());
    }
    Err(Error::new(
        format!("no {} in {}", missing.join(", "), directory.display()),
        "set the directory of a PostgreSQL server's programs, or none to search for it",
    ))
}

fn missing(directory: &Path, programs: &[&'static str]) -> Vec<&'static str> {
    programs.iter().copied().filter(|program| !directory.join(program).is_file()).collect()
}

fn candidates() -> Vec<PathBuf> {
    let path = std::env::var_os("PATH").unwrap_or_default();
    let on_path = std::env::split_paths(&path);
    pg_config().into_iter().chain(newest_first(Path::new(DEBIAN))).chain(on_path).collect()
}

fn pg_config() -> Option<PathBuf> {
    let output = Command::new("pg_config").arg("--bindir").output().ok()?;
    let directory = String::from_utf8(output.stdout).ok()?;
    output.status.success().then(|| PathBuf::from(directory.trim_end()))
}

/// The programs of each version in `directory`.
fn newest_first(directory: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(directory).into_iter().flatten().flatten();
    let mut versions: Vec<u32> =
        entries.filter_map(|entry| entry.file_name().to_str()?.parse().ok()).collect();
    versions.sort_unstable_by(|a, b| b.cmp(a));
    versions.iter().map(|version| directory.join(version.to_string()).join("bin")).collect()
}

fn not_installed(part: &str) -> Error {
    Error::new(
        format!("PostgreSQL {part} not found"),
        format!(
            "install it (on Debian and Ubuntu: apt-get install postgresql), \
             or set {TEST_SERVER} to the URL of a server on which tests may create databases"
        ),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn newest_version_is_first() {
        let debian = tempfile::tempdir().unwrap();
        for version in ["9", "17", "13", "notes"] {
            fs::create_dir(debian.path().join(version)).unwrap();
        }
        let found = newest_first(debian.path());
        let expected = ["17/bin", "13/bin", "9/bin"].map(|bin| debian.path().join(bin));
        assert_eq!(found, expected);
    }

    #[test]
    fn directory_without_the_programs_is_rejected() {
        let empty = tempfile::tempdir().unwrap();
        fs::write(empty.path().join("psql"), "").unwrap();
        let error = check(empty.path()).unwrap_err().to_string();
        assert!(error.starts_with("no initdb, postgres, pg_isready in /"), "{error}");
    }

    #[test]
    fn missing_server_error_has_both_hints() {
        let error = not_installed("server").to_string();
        assert!(error.contains("apt-get install postgresql"), "{error}");
        assert!(error.contains("set STEADFAST_TEST_POSTGRES"), "{error}");
    }
}
