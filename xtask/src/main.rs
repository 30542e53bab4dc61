//! Development tasks of this repository: `cargo xtask`.
//!
//! A command is an entry of [`COMMANDS`] and a file of the same name. They share `run.rs`
//! (running a program and reporting its outcome) and `setup.rs` (system tools).

mod bench;
mod browser;
mod contract;
mod docs;
mod example;
mod fault;
mod fuzz;
mod library_examples;
mod markers;
mod package;
mod paths;
mod run;
mod setup;
mod test;
mod wording;

use std::process::ExitCode;

use run::Failure;

/// One command.
struct Command {
    name: &'static str,
    arguments: &'static str,
    about: &'static str,
    run: fn(&[String]) -> Result<(), Failure>,
}

const COMMANDS: &[Command] = &[
    Command {
        name: "test",
        arguments: "[--quick | --full]",
        about: "Install what the tests need and run every check: format, wording, lints, tests,\n\
                documentation examples, loom, the docs build, and short fuzz and fault runs.\n\
                --quick   only format, wording, lints, unit tests, and conformance on SQLite\n\
                --full    also tests with large downloads: Apache AGE, pgvector, a new ClickHouse",
        run: test::run,
    },
    Command {
        name: "example",
        arguments: "storage|replay|workflows|clickhouse|scraper [--release] …",
        about: "Run one of the systems under examples/ against its real server.",
        run: example::run,
    },
    Command {
        name: "bench",
        arguments: "core|file|cli|server|store [--quick] [--compile] [--sizes] [--write] [--node]",
        about: "Measure this library and its peers in one run and print the table.\n\
                --quick   core: only our own instruction counts; store: one round, few peers\n\
                --compile core: only compile time and crates; with --quick, without the peers\n\
                --sizes   core: only the size of call sites; with --quick, without the peers\n\
                --write   write the table to bench/README.md\n\
                --node    store: include the peers installed by npm",
        run: bench::run,
    },
    Command {
        name: "fuzz",
        arguments: "[TARGET] [--time 60s] | TARGET --input FILE",
        about: "Fuzz every target, or one, for a minute each.\n\
                --time    how long to fuzz each target\n\
                --input   run one input again that a fuzz run found",
        run: fuzz::run,
    },
    Command {
        name: "fault",
        arguments: "[--store sqlite|postgres] [--rounds 20] [--seed 1] [--keep DIR] …",
        about: "Kill and freeze workers, skew their clocks, restart and pause the database, and\n\
                check that no task is lost, run under a stale lease or miscounted. Twenty rounds\n\
                on each store take about fifteen minutes.",
        run: fault::run,
    },
    Command {
        name: "browser",
        arguments: "[--screenshots]",
        about: "Test the web UI in Chromium.\n\
                --screenshots   regenerate the pictures in docs/pictures",
        run: browser::run,
    },
    Command {
        name: "contract",
        arguments: "[--store sqlite|postgres] [--max-examples 100] [--seed 1] …",
        about: "Test the API against /openapi.json with schemathesis, on a temporary store.\n\
                All flags but --store are passed to schemathesis.",
        run: contract::run,
    },
    Command {
        name: "wording",
        arguments: "",
        about: "Report words in names and texts that docs/glossary.md replaces.",
        run: wording::run,
    },
    Command {
        name: "docs",
        arguments: "[--open]",
        about: "Build the documentation of every crate with warnings denied.",
        run: docs::run,
    },
    Command {
        name: "package",
        arguments: "",
        about: "Make the packages of all crates and check that they are complete.",
        run: package::run,
    },
    Command { name: "help", arguments: "", about: "Print this help.", run: help },
];

const INTRODUCTION: &str = "\
Development tasks of Steadfast.

Run `cargo xtask test` before you send a change: it is what CI runs.
Run `cargo xtask test --quick` while you work.";

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    match dispatch(&arguments) {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => {
            eprintln!("{failure}");
            ExitCode::from(failure.exit_code())
        }
    }
}

fn dispatch(arguments: &[String]) -> Result<(), Failure> {
    let Some((name, rest)) = arguments.split_first() else {
        return help(&[]);
    };
    let is_help = |word: &String| word == "--help" || word == "-h";
    // An example prints the help of its own flags.
    let own = if name == "example" { 2 } else { arguments.len() };
    if arguments.iter().take(own).any(is_help) {
        return help(&[]);
    }
    match COMMANDS.iter().find(|command| command.name == name) {
        Some(command) => (command.run)(rest),
        None => Err(unknown("command", name, COMMANDS.iter().map(|c| c.name))),
    }
}

fn help(_: &[String]) -> Result<(), Failure> {
    println!("{INTRODUCTION}\n\nUsage: cargo xtask <command>\n");
    for command in COMMANDS {
        println!("  {}", [command.name, command.arguments].join(" ").trim_end());
        for line in command.about.lines() {
            println!("      {line}");
        }
    }
    Ok(())
}

/// The failure for an unknown name, with the nearest known one.
fn unknown(what: &str, given: &str, known: impl Iterator<Item = &'static str> + Clone) -> Failure {
    let suggestion = match nearest(given, known.clone()) {
        Some(name) => format!("did you mean `{name}`?"),
        None => format!("expected one of {}", known.collect::<Vec<_>>().join(", ")),
    };
    Failure::usage(
        format!("unknown {what} `{given}`"),
        format!("{suggestion} (see `cargo xtask help`)"),
    )
}

fn nearest(given: &str, known: impl Iterator<Item = &'static str>) -> Option<&'static str> {
    known
        .map(|name| (strsim::damerau_levenshtein(given, name), name))
        .filter(|(distance, name)| *distance <= name.len() / 2)
        .min()
        .map(|(_, name)| name)
}

/// Rejects the first of `arguments` that is not one of `known`.
fn only(arguments: &[String], known: &'static [&'static str]) -> Result<(), Failure> {
    match arguments.iter().find(|a| !known.contains(&a.as_str())) {
        None => Ok(()),
        Some(a) if known.is_empty() => Err(Failure::usage(
            format!("unexpected argument `{a}`"),
            "this command takes no arguments".to_owned(),
        )),
        Some(a) => Err(unknown("argument", a, known.iter().copied())),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn failure_of(words: &[&str]) -> Failure {
        let words: Vec<String> = words.iter().map(|w| w.to_string()).collect();
        dispatch(&words).unwrap_err()
    }

    #[test]
    fn misspelt_command_gets_a_suggestion() {
        let failure = failure_of(&["tset"]);
        assert_eq!(failure.exit_code(), 2);
        assert!(failure.to_string().contains("did you mean `test`?"), "{failure}");
    }

    #[test]
    fn unknown_command_lists_all_commands() {
        let failure = failure_of(&["levitate"]).to_string();
        assert!(
            failure.contains(
                "expected one of test, example, bench, fuzz, fault, browser, contract, wording, \
                 docs, package, help"
            ),
            "{failure}"
        );
    }

    #[test]
    fn help_names_every_benchmark() {
        let bench = COMMANDS.iter().find(|command| command.name == "bench").unwrap();
        let named = bench.arguments.split_whitespace().next().unwrap();
        assert!(named.split('|').eq(bench::names()), "{named}");
    }

    #[test]
    fn unknown_arguments_are_rejected_before_running() {
        assert_eq!(failure_of(&["test", "--fast"]).exit_code(), 2);
        assert_eq!(failure_of(&["test", "--quick", "--full"]).exit_code(), 2);
        assert_eq!(failure_of(&["fuzz", "--tiem", "1s"]).exit_code(), 2);
        assert_eq!(failure_of(&["docs", "--opne"]).exit_code(), 2);
        assert_eq!(failure_of(&["contract", "--store", "mysql"]).exit_code(), 2);
        assert_eq!(failure_of(&["bench", "cor"]).exit_code(), 2);
        assert_eq!(failure_of(&["bench", "core", "--wrote"]).exit_code(), 2);
        assert_eq!(failure_of(&["bench", "core", "--quick", "--write"]).exit_code(), 2);
        assert_eq!(failure_of(&["bench", "core", "--sizes", "--write"]).exit_code(), 2);
        assert_eq!(failure_of(&["bench", "file", "--sizes"]).exit_code(), 2);
    }
}
