//! `cargo xtask example`: run one of the systems under `examples/`, with what it talks to.
//!
//! An example starts the real server that it needs by itself; this sees that the server is
//! installed, which is all that a fresh clone lacks. Whoever names a server of their own needs none.

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

/// When it needs it, by what it is told.
enum When {
    /// Unless one of these flags, or a variable of the surroundings, names another.
    Unless(&'static [&'static str]),
    /// If this flag asks for it.
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
            "no example was named".to_owned(),
            format!("there is {}", names.collect::<Vec<_>>().join(", ")),
        ));
    };
    let Some(example) = EXAMPLES.iter().find(|example| example.name == name) else {
        return Err(unknown("example", name, names));
    };
    let (optimised, told) = split(rest);
    setup::tools(&example.tools(&told, |variable| std::env::var_os(variable).is_some()))?;
    run_of(name, optimised).arguments(told).show()
}

/// Not quiet: the first build takes minutes, and a person should see that something happens.
fn run_of(name: &str, optimised: bool) -> Run {
    let optimised = if optimised { "--release" } else { "" };
    Run::cargo(&format!("run {optimised} --package example-{name} --"))
        .next("the README.md beside the example says what it should have shown")
}

/// Whether it is to be built for release, and what is for the example itself: what is behind
/// `--` is, whatever it says.
fn split(arguments: &[String]) -> (bool, Vec<&str>) {
    let mut halves = arguments.splitn(2, |argument| argument == "--");
    let (ours, theirs) = (halves.next().unwrap_or_default(), halves.next().unwrap_or_default());
    let told = ours.iter().filter(|argument| *argument != "--release").chain(theirs);
    (ours.iter().any(|argument| argument == "--release"), told.map(String::as_str).collect())
}

impl Example {
    /// What has to be installed for it to do what it is told.
    fn tools(&self, told: &[&str], is_set: impl Fn(&str) -> bool) -> Vec<Tool> {
        let says = |flag: &str| told.iter().any(|word| word.split('=').next() == Some(flag));
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
        let (name, told) = line.split_once(' ').unwrap_or((line, ""));
        let told: Vec<_> = told.split_whitespace().collect();
        let example = EXAMPLES.iter().find(|example| example.name == name).unwrap();
        let tools = example.tools(&told, |asked| asked == variable);
        tools.iter().map(|tool| tool.command).collect()
    }

    #[test]
    fn an_example_needs_the_server_that_it_starts() {
        assert_eq!(needed("storage", ""), ["cc", "postgres"]);
        assert_eq!(needed("replay", ""), ["cc"]);
        assert_eq!(needed("workflows --orders 10", ""), ["cc", "postgres"]);
        assert_eq!(needed("clickhouse --seed 2", ""), ["cc", "clickhouse-server"]);
        assert_eq!(needed("scraper", ""), ["cc", "chromium"]);
    }

    #[test]
    fn one_that_was_named_need_not_be_installed() {
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
    fn a_flag_may_ask_for_more() {
        assert_eq!(needed("storage --extensions", ""), ["cc", "mmdebstrap"]);
    }

    /// A person sees that something is built, and what is shown can go into a pipe.
    #[test]
    fn an_example_is_run_in_sight() {
        assert!(run_of("replay", false).to_string().ends_with("run --package example-replay --"));
        let optimised = run_of("replay", true).to_string();
        assert!(optimised.ends_with("run --release --package example-replay --"), "{optimised}");
    }

    #[test]
    fn release_is_ours_wherever_it_stands_before_two_dashes() {
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
