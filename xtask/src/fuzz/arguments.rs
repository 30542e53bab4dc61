//! Arguments of `cargo xtask fuzz`.

use std::path::{Path, PathBuf};
use std::time::Duration;

use super::TARGETS;
use crate::run::Failure;
use crate::unknown;

const TIME: &str = "--time";
const INPUT: &str = "--input";

/// How long each target is fuzzed by default.
const DEFAULT_TIME: Duration = Duration::from_secs(60);

#[derive(Debug, PartialEq)]
pub(super) enum Arguments {
    /// Fuzz these targets for this long each.
    Fuzz { targets: Vec<&'static str>, time: Duration },
    /// Run one input.
    Repeat { target: &'static str, input: PathBuf },
}

impl Arguments {
    pub(super) fn read(arguments: &[String]) -> Result<Self, Failure> {
        let (target, options) = match arguments.split_first() {
            Some((name, options)) if !name.starts_with('-') => (Some(target_named(name)?), options),
            _ => (None, arguments),
        };
        let all = || target.map_or(TARGETS.to_vec(), |one| vec![one]);
        let words: Vec<&str> = options.iter().map(String::as_str).collect();
        match (words.as_slice(), target) {
            ([], _) => Ok(Self::Fuzz { targets: all(), time: DEFAULT_TIME }),
            ([TIME, text], _) => Ok(Self::Fuzz { targets: all(), time: time(text)? }),
            ([INPUT, path], Some(target)) => Ok(Self::Repeat { target, input: existing(path)? }),
            ([INPUT, ..], None) => Err(usage("--input needs a target", "name the target first")),
            ([TIME], _) => Err(usage("--time needs a value", TIME_FORMAT)),
            ([INPUT], _) => Err(usage("--input needs a value", "pass the path of a file")),
            ([TIME | INPUT, _, more, ..], _) => {
                Err(usage(format!("unexpected argument `{more}`"), USAGE))
            }
            ([other, ..], _) => Err(unknown("argument", other, [TIME, INPUT].into_iter())),
        }
    }
}

const USAGE: &str = "usage: `fuzz [TARGET] [--time 60s]` or `fuzz TARGET --input FILE`";
const TIME_FORMAT: &str = "write 60s, 10m or 2h";

fn usage(what: impl Into<String>, next: &str) -> Failure {
    Failure::usage(what.into(), next.to_owned())
}

fn target_named(name: &str) -> Result<&'static str, Failure> {
    let found = TARGETS.into_iter().find(|target| *target == name);
    found.ok_or_else(|| unknown("target", name, TARGETS.into_iter()))
}

fn time(text: &str) -> Result<Duration, Failure> {
    let units = [("s", 1), ("m", 60), ("h", 3600)];
    let read = |(unit, seconds): (&str, u64)| {
        let count: u64 = text.strip_suffix(unit)?.parse().ok()?;
        count.checked_mul(seconds)
    };
    // libFuzzer takes zero as no limit.
    let seconds = units.into_iter().find_map(read).filter(|seconds| *seconds > 0);
    let seconds = seconds.ok_or_else(|| usage(format!("`{text}` is not a time"), TIME_FORMAT))?;
    Ok(Duration::from_secs(seconds))
}

/// The absolute path of the input: programs run at the root of the repository.
fn existing(path: &str) -> Result<PathBuf, Failure> {
    let from_here = std::path::absolute(path).unwrap_or_else(|_| Path::new(path).to_owned());
    if from_here.is_file() {
        return Ok(from_here);
    }
    Err(usage(format!("no such file: {path}"), "pass the path that the fuzz run printed"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(words: &[&str]) -> Result<Arguments, String> {
        let words: Vec<String> = words.iter().map(|word| word.to_string()).collect();
        Arguments::read(&words).map_err(|failure| failure.to_string())
    }

    #[test]
    fn default_is_every_target_for_a_minute() {
        let targets = TARGETS.to_vec();
        assert_eq!(read(&[]), Ok(Arguments::Fuzz { targets, time: DEFAULT_TIME }));
        let time = Duration::from_secs(600);
        let import = Arguments::Fuzz { targets: vec!["import"], time };
        assert_eq!(read(&["import", "--time", "10m"]), Ok(import));
    }

    #[test]
    fn input_needs_a_target() {
        let input = std::path::absolute("Cargo.toml").unwrap();
        let repeat = Arguments::Repeat { target: "import", input };
        assert_eq!(read(&["import", "--input", "Cargo.toml"]), Ok(repeat));
        assert!(read(&["--input", "Cargo.toml"]).unwrap_err().contains("needs a target"));
    }

    #[test]
    fn invalid_arguments_are_rejected_with_the_expected_form() {
        let cases = [
            (&["polcy_file"][..], "did you mean `policy_file`?"),
            (&["--tiem", "1s"], "did you mean `--time`?"),
            (&["--time"], "write 60s"),
            (&["--time", "0s"], "`0s` is not a time"),
            (&["--time", "60"], "write 60s"),
            (&["--time", "18446744073709551615h"], "is not a time"),
            (&["--time", "1s", "import"], "unexpected argument `import`"),
            (&["import", "--input", "no-such-file"], "no such file: no-such-file"),
        ];
        for (words, expected) in cases {
            let failure = read(words).unwrap_err();
            assert!(failure.contains(expected), "{words:?}: {failure}");
        }
    }
}
