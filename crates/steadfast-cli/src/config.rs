//! Location of the policy file: named by flag or environment, or `steadfast.yaml` if it exists.

use std::path::{Path, PathBuf};

use crate::error::CliError;

pub(crate) const DEFAULT_POLICY_FILE: &str = "steadfast.yaml";

const CONFIG_ENV: &str = "STEADFAST_CONFIG";

/// Returns the policy file, if there is one. A file named explicitly must exist.
pub(crate) fn locate(flag: Option<&Path>) -> Result<Option<PathBuf>, CliError> {
    let Some(named) = named(flag) else {
        return Ok(usual());
    };
    match std::fs::metadata(&named) {
        Ok(found) if found.is_file() => Ok(Some(named)),
        Ok(_) => Err(missing(&named, "not a file")),
        Err(why) => Err(missing(&named, why)),
    }
}

/// Like [`locate`], for callers that report an unreadable file themselves.
pub(crate) fn unchecked(flag: Option<&Path>) -> Option<PathBuf> {
    named(flag).or_else(usual)
}

fn named(flag: Option<&Path>) -> Option<PathBuf> {
    flag.map(Path::to_owned).or_else(from_env)
}

fn usual() -> Option<PathBuf> {
    let usual = PathBuf::from(DEFAULT_POLICY_FILE);
    usual.is_file().then_some(usual)
}

/// Read here and not by clap, which treats a variable like an argument: with it set, a bare
/// `steadfast` would not print help. An empty value counts as unset.
fn from_env() -> Option<PathBuf> {
    std::env::var_os(CONFIG_ENV).filter(|file| !file.is_empty()).map(PathBuf::from)
}

fn missing(file: &Path, why: impl std::fmt::Display) -> CliError {
    CliError::configuration(format!("cannot read the policy file {}: {why}", file.display()))
        .with_help(
            "pass an existing file with -c/--config or STEADFAST_CONFIG, or omit it to use \
             steadfast.yaml in this directory if it exists",
        )
}
