//! The ways of working on this repository, as one command: `cargo xtask`.
//!
//! A way of working is a line of [`COMMANDS`] and a file of the same name. What
//! they share is in `run.rs` (running a program and saying how it went) and
//! `setup.rs` (the system's tools that they need).

mod bench;
mod browser;
mod contract;
mod docs;
mod example;
mod fault;
mod fuzz;
mod markers;
mod place;
mod run;
mod setup;
mod test;

use std::process::ExitCode;

use run::Failure;

/// One way of working.
struct Command {
    name: &'static str,
    arguments: &'static str,
    about: &'static str,
    run: fn(&[String]) -> Result<(), Failure>,
}

const COMMANDS: &[Command] = &[
    Command {
        name: "test",
        arguments: "[--full]",
        about: "Set up what the tests need and check everything: format, lints,\n\
                tests, documentation examples, loom, the docs build, short searches and fault runs.\n\
                --full    also what needs large downloads: Apache AGE and pgvector, a new ClickHouse",
        run: test::run,
    },
    Command {
        name: "example",
        arguments: "storage|replay|workflows|clickhouse|scraper [--release] …",
        about: "Run one of the systems under examples/ on the real server that it talks to.",
        run: example::run,
    },
    Command {
        name: "bench",
        arguments: "core|file|cli|server|store [--quick] [--write] [--node]",
        about: "Measure this library and its peers in one run and print the table.\n\
                --quick   of core: our own instruction counts and the bare call, no peers;\n\
                          of store: one round, few peers\n\
                --write   keep the table in bench/README.md\n\
                --node    store: the peers that npm installs as well",
        run: bench::run,
    },
    Command {
        name: "fuzz",
        arguments: "[TARGET] [--time 60s] | TARGET --input FILE",
        about: "Look for an input that breaks a promise: every target, for a minute each.\n\
                --time    how long each target is searched\n\
                --input   try one input again that a search found",
        run: fuzz::run,
    },
    Command {
        name: "fault",
        arguments: "[--store sqlite|postgres] [--rounds 20] [--seed 1] [--keep DIR] …",
        about: "Kill, freeze and mislead workers, restart and pause the database, and check that\n\
                nothing was lost, done under a stale lease or miscounted. Twenty rounds on each\n\
                store take about fifteen minutes. --trouble, --tasks and --workers say how much of it.",
        run: fault::run,
    },
    Command {
        name: "browser",
        arguments: "[--screenshots]",
        about: "Use the page in a real browser, as a person would.\n\
                --screenshots   make the pictures of the page anew",
        run: browser::run,
    },
    Command {
        name: "contract",
        arguments: "[--store sqlite|postgres] [--max-examples 100] [--seed 1] …",
        about: "Look for a request that the API answers otherwise than it says in /openapi.json,\n\
                on a store that is gone afterwards. All but --store is for schemathesis.",
        run: contract::run,
    },
    Command {
        name: "docs",
        arguments: "[--open]",
        about: "Build the documentation of every crate, warnings denied.",
        run: docs::run,
    },
    Command { name: "help", arguments: "", about: "Print this.", run: help },
];

const INTRODUCTION: &str = "\
The ways of working on Steadfast.

Before you send a change, run `cargo xtask test`: it is what CI runs, all of it.
While you work, plain cargo (`cargo test -p steadfast`) is quicker.";

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
    let asks_for_help = |word: &String| word == "--help" || word == "-h";
    // An example has flags of its own, and tells of them.
    let own = if name == "example" { 2 } else { arguments.len() };
    if arguments.iter().take(own).any(asks_for_help) {
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

/// Refuses a word that nothing answers to, and names the nearest that would.
fn unknown(what: &str, given: &str, known: impl Iterator<Item = &'static str> + Clone) -> Failure {
    let suggestion = match nearest(given, known.clone()) {
        Some(name) => format!("did you mean `{name}`?"),
        None => format!("there is {}", known.collect::<Vec<_>>().join(", ")),
    };
    Failure::usage(
        format!("unknown {what} `{given}`"),
        format!("{suggestion} (`cargo xtask help` tells about all)"),
    )
}

fn nearest(given: &str, known: impl Iterator<Item = &'static str>) -> Option<&'static str> {
    known
        .map(|name| (strsim::damerau_levenshtein(given, name), name))
        .filter(|(distance, name)| *distance <= name.len() / 2)
        .min()
        .map(|(_, name)| name)
}

/// Refuses the first of `arguments` that is not one of `known`.
fn only(arguments: &[String], known: &'static [&'static str]) -> Result<(), Failure> {
    match arguments.iter().find(|a| !known.contains(&a.as_str())) {
        None => Ok(()),
        Some(a) if known.is_empty() => Err(Failure::usage(
            format!("unexpected argument `{a}`"),
            "this command takes none".to_owned(),
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
    fn a_slip_of_the_finger_is_answered_with_the_command_meant() {
        let failure = failure_of(&["tset"]);
        assert_eq!(failure.exit_code(), 2);
        assert!(failure.to_string().contains("did you mean `test`?"), "{failure}");
    }

    #[test]
    fn a_strange_word_is_answered_with_all_commands() {
        let failure = failure_of(&["levitate"]).to_string();
        assert!(
            failure.contains(
                "there is test, example, bench, fuzz, fault, browser, contract, docs, help"
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
    fn arguments_are_checked_before_anything_runs() {
        assert_eq!(failure_of(&["test", "--fast"]).exit_code(), 2);
        assert_eq!(failure_of(&["fuzz", "--tiem", "1s"]).exit_code(), 2);
        assert_eq!(failure_of(&["docs", "--opne"]).exit_code(), 2);
        assert_eq!(failure_of(&["contract", "--store", "mysql"]).exit_code(), 2);
        assert_eq!(failure_of(&["bench", "cor"]).exit_code(), 2);
        assert_eq!(failure_of(&["bench", "core", "--wrote"]).exit_code(), 2);
        assert_eq!(failure_of(&["bench", "core", "--quick", "--write"]).exit_code(), 2);
    }
}
