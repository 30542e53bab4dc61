//! The programs in `crates/steadfast/examples`, run one after the other.

use std::fs;

use crate::paths;
use crate::run::{Failure, Run};

/// Runs every example; each must succeed.
pub(crate) fn check() -> Result<(), Failure> {
    names()?.iter().try_for_each(|name| {
        Run::cargo("run --quiet --package steadfast --all-features --example")
            .argument(name)
            .next("run the same command and correct the example")
            .go()
    })
}

/// The names of the examples, sorted.
fn names() -> Result<Vec<String>, Failure> {
    let folder = paths::root().join("crates/steadfast/examples");
    let entries = fs::read_dir(&folder).map_err(|error| {
        Failure::plain(format!("cannot read {}: {error}", folder.display()), "restore the folder")
    })?;
    let mut names: Vec<String> = entries
        .flatten()
        .filter_map(|entry| Some(entry.file_name().to_str()?.strip_suffix(".rs")?.to_owned()))
        .collect();
    names.sort();
    Ok(names)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn examples_are_found() {
        let names = names().unwrap_or_default();
        assert!(names.len() > 12, "{names:?}");
        assert!(names.iter().any(|name| name == "http_retry_after"), "{names:?}");
    }
}
