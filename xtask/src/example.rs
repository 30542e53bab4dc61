//! `cargo xtask example`: one of the systems under `examples/`, run against its real server.
//!
//! An example starts its server itself; this installs the server if it is missing and no other
//! server is named.

use crate::run::{Failure, Run};
use crate::setup::{self, ANY_CHROMIUM, C_COMPILER, CLICKHOUSE, MMDEBSTRAP, POSTGRES, Tool};
use crate::unknown;

struct Example {
    name: &'static str,
    needs: &'static [Need],
}

/// A tool that an example needs beside the compiler.
struct Need {
    tool: Tool,
    when: When,
}

/// The condition under which the tool is needed.
enum When {
    /// Unless one of these flags or environment variables names another.
    Unless(&'static [&'static str]),
    /// If this flag is given.
    If(&'static str),
}

const EXAMPLES: &[Example] = &[
    Example {
        name: "storage",
        needs: &[
            Need { tool: POSTGRES, when: When::Unless(&["--server", "--extensions"]) },
            Need { tool: MMDEBSTRAP, when: When::If("--extensions") },
        ],
    },
    Example { name: "replay", needs: &[] },
    Example {
        name: "workflows",
        needs: &[Need { tool: POSTGRES, when: When::Unless(&["--server"]) }],
    },
    Example {
        name: "clickhouse",
        needs: &[Need { tool: CLICKHOUSE, when: When::Unless(&["--server"]) }],
    },
    Example {
        name: "scraper",
        needs: &[Need { tool: ANY_CHROMIUM, when: When::Unless(&["--browser", "CHROMIUM"]) }],
    },
];

pub(crate) fn run(arguments: &[String]) -> Result<(), Failure> {
    let names = EXAMPLES.iter().map(|example| example.name);
    let Some((name, rest)) = arguments.split_first() else {
        return Err(Failure::usage(
            "no example named".to_owned(),
            format!("pass one of {}", names.collect::<Vec<_>>().join(", ")),
        ));
    };
    let Some(example) = EXAMPLES.iter().find(|example| example.name == name) else {
        return Err(unknown("example", name, names));
    };
    let (optimised, passed) = split(rest);
    setup::tools(&example.tools(&passed, |variable| std::env::var_os(variable).is_some()))?;
    run_of(name, optimised).arguments(passed).show()
}

/// Not quiet: the first build takes minutes, so its progress is shown.
fn run_of(name: &str, optimised: bool) -> Run {
    let optimised = if optimised { "--release" } else { "" };
    Run::cargo(&format!("run {optimised} --package example-{name} --"))
        .next("compare with the expected output in the README.md of the example")
}

/// Whether to build for release, and the arguments of the example: those after `--`, and the
/// others except `--release`.
fn split(arguments: &[String]) -> (bool, Vec<&str>) {
    let mut halves = arguments.splitn(2, |argument| argument == "--");
    let (ours, theirs) = (halves.next().unwrap_or_default(), halves.next().unwrap_or_default());
    let passed = ours.iter().filter(|argument| *argument != "--release").chain(theirs);
    (ours.iter().any(|argument| argument == "--release"), passed.map(String::as_str).collect())
}

impl Example {
    /// Tools needed with these arguments.
    fn tools(&self, passed: &[&str], is_set: impl Fn(&str) -> bool) -> Vec<Tool> {
        let says = |flag: &str| passed.iter().any(|word| word.split('=').next() == Some(flag));
        let only_asks = says("--help") || says("-h");
        let is_needed = |when: &When| match when {
            When::Unless(spared) => !spared.iter().any(|by| says(by) || is_set(by)),
            When::If(flag) => says(flag),
        };
        let needs = self.needs.iter().filter(|need| !only_asks && is_needed(&need.when));
        [C_COMPILER].into_iter().chain(needs.map(|need| need.tool)).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The commands that have to be there for an example and its flags.
    fn needed(line: &str, variable: &str) -> Vec<&'static str> {
        let (name, passed) = line.split_once(' ').unwrap_or((line, ""));
        let passed: Vec<_> = passed.split_whitespace().collect();
        let example = EXAMPLES.iter().find(|example| example.name == name).unwrap();
        let tools = example.tools(&passed, |name| name == variable);
        tools.iter().map(|tool| tool.command).collect()
    }

    #[test]
    fn example_needs_its_server() {
        assert_eq!(needed("storage", ""), ["cc", "postgres"]);
        assert_eq!(needed("replay", ""), ["cc"]);
        assert_eq!(needed("workflows --orders 10", ""), ["cc", "postgres"]);
        assert_eq!(needed("clickhouse --seed 2", ""), ["cc", "clickhouse-server"]);
        assert_eq!(needed("scraper", ""), ["cc", "chromium"]);
    }

    #[test]
    fn named_server_is_not_installed() {
        for line in [
            "storage --server postgres://host/db",
            "workflows --server=postgres://host/db",
            "clickhouse --server 127.0.0.1:8123",
            "scraper --browser /opt/chrome",
            "scraper --help",
        ] {
            assert_eq!(needed(line, ""), ["cc"], "{line}");
        }
        assert_eq!(needed("scraper", "CHROMIUM"), ["cc"]);
    }

    #[test]
    fn flag_adds_a_tool() {
        assert_eq!(needed("storage --extensions", ""), ["cc", "mmdebstrap"]);
    }

    #[test]
    fn build_progress_is_shown() {
        assert!(run_of("replay", false).to_string().ends_with("run --package example-replay --"));
        let optimised = run_of("replay", true).to_string();
        assert!(optimised.ends_with("run --release --package example-replay --"), "{optimised}");
    }

    #[test]
    fn release_flag_after_two_dashes_is_passed_on() {
        let words = |line: &str| line.split_whitespace().map(str::to_owned).collect::<Vec<_>>();
        for line in ["--release --seed 2", "--seed 2 --release", "--seed 2 --release --"] {
            assert_eq!(split(&words(line)), (true, vec!["--seed", "2"]), "{line}");
        }
        assert_eq!(
            split(&words("--seed 2 -- --release")),
            (false, vec!["--seed", "2", "--release"])
        );
        assert_eq!(split(&[]), (false, vec![]));
    }
}
