//! What `cargo xtask fuzz` was asked for.

use std::path::{Path, PathBuf};
use std::time::Duration;

use super::TARGETS;
use crate::run::Failure;
use crate::unknown;

const TIME: &str = "--time";
const INPUT: &str = "--input";

/// How long each target is searched, unless it is said.
const MINUTE: Duration = Duration::from_secs(60);

#[derive(Debug, PartialEq)]
pub(super) enum Asked {
    /// Look for inputs that break a promise.
    Search { targets: Vec<&'static str>, time: Duration },
    /// Try one that did.
    Again { target: &'static str, input: PathBuf },
}

impl Asked {
    pub(super) fn read(arguments: &[String]) -> Result<Self, Failure> {
        let (target, options) = match arguments.split_first() {
            Some((name, options)) if !name.starts_with('-') => (Some(known(name)?), options),
            _ => (None, arguments),
        };
        let all = || target.map_or(TARGETS.to_vec(), |one| vec![one]);
        let words: Vec<&str> = options.iter().map(String::as_str).collect();
        match (words.as_slice(), target) {
            ([], _) => Ok(Self::Search { targets: all(), time: MINUTE }),
            ([TIME, text], _) => Ok(Self::Search { targets: all(), time: time(text)? }),
            ([INPUT, path], Some(target)) => Ok(Self::Again { target, input: existing(path)? }),
            ([INPUT, ..], None) => Err(wrong("which target is the input for?", "name it first")),
            ([TIME], _) => Err(wrong("how much time?", HOW_LONG)),
            ([INPUT], _) => Err(wrong("which input?", "give the path of a file")),
            ([TIME | INPUT, _, more, ..], _) => {
                Err(wrong(format!("unexpected argument `{more}`"), USAGE))
            }
            ([other, ..], _) => Err(unknown("argument", other, [TIME, INPUT].into_iter())),
        }
    }
}

const USAGE: &str = "it is `fuzz [TARGET] [--time 60s]` or `fuzz TARGET --input FILE`";
const HOW_LONG: &str = "write it like 60s, 10m or 2h";

fn wrong(what: impl Into<String>, next: &str) -> Failure {
    Failure::usage(what.into(), next.to_owned())
}

fn known(name: &str) -> Result<&'static str, Failure> {
    let found = TARGETS.into_iter().find(|target| *target == name);
    found.ok_or_else(|| unknown("target", name, TARGETS.into_iter()))
}

fn time(text: &str) -> Result<Duration, Failure> {
    let units = [("s", 1), ("m", 60), ("h", 3600)];
    let read = |(unit, seconds): (&str, u64)| {
        let count: u64 = text.strip_suffix(unit)?.parse().ok()?;
        count.checked_mul(seconds)
    };
    // No time at all would be no limit for libFuzzer.
    let seconds = units.into_iter().find_map(read).filter(|seconds| *seconds > 0);
    let seconds = seconds.ok_or_else(|| wrong(format!("`{text}` is not a time"), HOW_LONG))?;
    Ok(Duration::from_secs(seconds))
}

/// The path from where the person stands: programs run at the root of the repository.
fn existing(path: &str) -> Result<PathBuf, Failure> {
    let from_here = std::path::absolute(path).unwrap_or_else(|_| Path::new(path).to_owned());
    if from_here.is_file() {
        return Ok(from_here);
    }
    Err(wrong(format!("there is no file {path}"), "give the path that the search printed"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(words: &[&str]) -> Result<Asked, String> {
        let words: Vec<String> = words.iter().map(|word| word.to_string()).collect();
        Asked::read(&words).map_err(|failure| failure.to_string())
    }

    #[test]
    fn every_target_gets_a_minute_unless_it_is_said() {
        let targets = TARGETS.to_vec();
        assert_eq!(read(&[]), Ok(Asked::Search { targets, time: MINUTE }));
        let time = Duration::from_secs(600);
        let foreign = Asked::Search { targets: vec!["foreign"], time };
        assert_eq!(read(&["foreign", "--time", "10m"]), Ok(foreign));
    }

    #[test]
    fn an_input_is_for_one_target() {
        let input = std::path::absolute("Cargo.toml").unwrap();
        let again = Asked::Again { target: "foreign", input };
        assert_eq!(read(&["foreign", "--input", "Cargo.toml"]), Ok(again));
        assert!(read(&["--input", "Cargo.toml"]).unwrap_err().contains("which target"));
    }

    #[test]
    fn what_is_not_understood_is_refused_with_what_would_be() {
        let refused = [
            (&["polcy_file"][..], "did you mean `policy_file`?"),
            (&["--tiem", "1s"], "did you mean `--time`?"),
            (&["--time"], "write it like 60s"),
            (&["--time", "0s"], "`0s` is not a time"),
            (&["--time", "60"], "write it like 60s"),
            (&["--time", "18446744073709551615h"], "is not a time"),
            (&["--time", "1s", "foreign"], "unexpected argument `foreign`"),
            (&["foreign", "--input", "no-such-file"], "there is no file no-such-file"),
        ];
        for (words, told) in refused {
            let failure = read(words).unwrap_err();
            assert!(failure.contains(told), "{words:?}: {failure}");
        }
    }
}
