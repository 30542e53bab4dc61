//! Where the policy file is: the one that was named, or the usual one if it is there.

use std::path::{Path, PathBuf};

use crate::problem::Problem;

/// The file that is read when none is named.
pub(crate) const USUAL: &str = "steadfast.yaml";

/// The variable that names the file for every command.
const VARIABLE: &str = "STEADFAST_CONFIG";

/// The policy file, if there is one. One that was named has to be there.
pub(crate) fn locate(flag: Option<&Path>) -> Result<Option<PathBuf>, Problem> {
    let Some(named) = named(flag) else {
        return Ok(usual());
    };
    match std::fs::metadata(&named) {
        Ok(found) if found.is_file() => Ok(Some(named)),
        Ok(_) => Err(missing(&named, "it is not a file")),
        Err(why) => Err(missing(&named, why)),
    }
}

/// The same for who finds out by itself what is wrong with a file.
pub(crate) fn unchecked(flag: Option<&Path>) -> Option<PathBuf> {
    named(flag).or_else(usual)
}

fn named(flag: Option<&Path>) -> Option<PathBuf> {
    flag.map(Path::to_owned).or_else(by_variable)
}

fn usual() -> Option<PathBuf> {
    let usual = PathBuf::from(USUAL);
    usual.is_file().then_some(usual)
}

/// Read here and not by the parser, to which a variable is as good as an argument: who has set
/// it and runs a bare `steadfast` would get no help. An empty one is how a script unsets it.
fn by_variable() -> Option<PathBuf> {
    std::env::var_os(VARIABLE).filter(|file| !file.is_empty()).map(PathBuf::from)
}

fn missing(file: &Path, why: impl std::fmt::Display) -> Problem {
    Problem::configuration(format!("the policy file {} cannot be read: {why}", file.display()))
        .with_next(
            "name a file that is there with -c/--config or STEADFAST_CONFIG, or name none to use \
             steadfast.yaml of this directory if there is one"
                .to_owned(),
        )
}
