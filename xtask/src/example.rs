//! `cargo xtask example`: run one of the systems under `examples/`, with what it talks to.
//!
//! An example starts the real server that it needs by itself; this sees that the server is
//! installed, which is all that a fresh clone lacks.

use crate::run::{Failure, Run};
use crate::setup::{self, Tool};
use crate::unknown;

struct Example {
    name: &'static str,
    needs: &'static [Tool],
}

const EXAMPLES: &[Example] = &[
    Example { name: "storage", needs: setup::FOR_POSTGRES_EXAMPLES },
    Example { name: "replay", needs: setup::FOR_EXAMPLES },
    Example { name: "workflows", needs: setup::FOR_POSTGRES_EXAMPLES },
    Example { name: "clickhouse", needs: setup::FOR_CLICKHOUSE_EXAMPLES },
    Example { name: "scraper", needs: setup::FOR_SCRAPER_EXAMPLE },
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
    setup::tools(example.needs)?;
    let (optimised, rest) = match rest.split_first() {
        Some((first, rest)) if first == "--release" => ("--release", rest),
        _ => ("", rest),
    };
    Run::cargo(&format!("run --quiet {optimised} --package example-{name} --"))
        .arguments(rest)
        .next("the README.md beside the example says what it should have shown")
        .go()
}
