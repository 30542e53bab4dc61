//! The command tree, and what all commands have in common.
//!
//! A command is a variant here and a file of the same name in `commands/`, which holds its
//! flags, its examples and what it does.

use std::path::PathBuf;

use clap::builder::Styles;
use clap::{Args, Parser, Subcommand};

use crate::commands::audit::AuditCommand;
use crate::commands::breaker::BreakerCommand;
use crate::commands::classify::Classify;
use crate::commands::completions::Completions;
use crate::commands::db::DbCommand;
use crate::commands::doctor::Doctor;
use crate::commands::events::EventsCommand;
use crate::commands::flow::FlowCommand;
use crate::commands::man::Man;
use crate::commands::policy::PolicyCommand;
use crate::commands::queue::QueueCommand;
use crate::commands::run::Run;
use crate::commands::serve::Serve;
use crate::commands::simulate::Simulate;
use crate::commands::stats::StatsCommand;
use crate::commands::submit::Submit;
use crate::commands::tasks::TasksCommand;
use crate::commands::token::TokenCommand;
use crate::deferred::Deferred;
use crate::help::{Example, Section, after_help};
use crate::output::Output;
use crate::output::colour::{Colour, HEADING, LITERAL};
use crate::secrets;

const EXAMPLES: &[Example] = &[
    ("steadfast serve", "a server, a page and a worker"),
    ("steadfast run -- curl -fsS https://example.com", "until it works, three times"),
    ("steadfast policy check", "is the policy file right?"),
    ("steadfast policy plan --preset sql", "when would it try again?"),
    ("steadfast policy plot --max-attempts 6 --jitter full", "the same as a chart"),
    ("steadfast classify --sqlstate 40P01", "is a deadlock tried again?"),
    ("steadfast classify --http 429 --retry-after 120 --json", "the same for a script"),
    ("steadfast tasks list --status failed", "what was given up?"),
    ("steadfast simulate storm", "what do retries do to a service?"),
    ("steadfast submit tasks.jsonl", "put a file of tasks into a store"),
];

const EXIT_CODES: Section = (
    "Exit codes",
    &[("0", "good"), ("1", "the work failed"), ("2", "wrong usage"), ("78", "wrong configuration")],
);

/// Try again: the right errors, the right number of times, at the right moment.
///
/// Steadfast retries what is worth retrying. A policy says how often and how long to wait;
/// rules say which failures are worth it. These commands show what both do, before they do it.
#[derive(Debug, Parser)]
#[command(
    name = "steadfast",
    bin_name = "steadfast",
    version,
    styles = Styles::styled().header(HEADING).usage(HEADING).literal(LITERAL),
    after_help = after_help(EXAMPLES, &[EXIT_CODES]),
    max_term_width = 100,
    subcommand_required = true,
    arg_required_else_help = true
)]
pub(crate) struct Cli {
    #[command(flatten)]
    pub(crate) common: Common,
    #[command(subcommand)]
    pub(crate) command: Command,
}

/// What all commands have in common.
#[derive(Debug, Args)]
#[command(next_help_heading = "Common options")]
pub(crate) struct Common {
    /// The policy file [env: STEADFAST_CONFIG] [default: steadfast.yaml, if it is there]
    #[arg(short, long, global = true, value_name = "FILE")]
    pub(crate) config: Option<PathBuf>,

    /// Print one JSON document instead of text for people
    #[arg(long, global = true)]
    pub(crate) json: bool,

    /// Use colours: auto, always or never; NO_COLOR and CLICOLOR_FORCE are honoured
    #[arg(
        long,
        global = true,
        value_name = "WHEN",
        value_enum,
        default_value_t,
        hide_possible_values = true
    )]
    #[allow(dead_code, reason = "it is obeyed before the line is parsed; here it is checked")]
    color: Colour,

    /// Mask the values of this name, too, wherever they are shown, logged or kept as a fault; those
    /// of the usual ones are masked anyway. Can be repeated [env: STEADFAST_SECRETS]
    #[arg(long, global = true, value_name = "NAME", value_delimiter = ',')]
    #[arg(value_parser = secrets::parse)]
    pub(crate) secret: Vec<String>,
}

impl Common {
    /// Where answers go.
    pub(crate) const fn output(&self) -> Output {
        Output::new(self.json)
    }
}

/// Every command. The line of each is its own first one, so that a list of them needs no more.
#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Show who did what to tasks and queues.
    Audit(Deferred<AuditCommand>),
    /// See and steer breakers: list, open, close.
    Breaker(Deferred<BreakerCommand>),
    /// Judge a failure: its class and the rule that gave it.
    Classify(Deferred<Classify>),
    /// Print what a shell needs to complete commands, flags and names.
    Completions(Deferred<Completions>),
    /// Look after the database of a store.
    Db(Deferred<DbCommand>),
    /// Check a store and the policy file, and say what to do.
    Doctor(Deferred<Doctor>),
    /// Show what happened: retries, give-ups, late successes, lost leases, breakers.
    Events(Deferred<EventsCommand>),
    /// Run workflows: work in several steps, each retried by itself.
    Flow(Deferred<FlowCommand>),
    /// Write the help as pages of the manual.
    Man(Deferred<Man>),
    /// Look at retry policies.
    Policy(Deferred<PolicyCommand>),
    /// Look at queues, pause them and let them go on.
    Queue(Deferred<QueueCommand>),
    /// Run a command, and again if it fails.
    Run(Deferred<Run>),
    /// Serve a store: the API, a page, and a worker that does its tasks.
    Serve(Deferred<Serve>),
    /// Play clients, a service and its bad days, and see what a policy makes of them.
    Simulate(Deferred<Simulate>),
    /// Count the tasks: pending, due in 24 hours, failed, success rate.
    Stats(Deferred<StatsCommand>),
    /// Put tasks into a store: a call, a command, or a file of them.
    Submit(Deferred<Submit>),
    /// Look at tasks and steer them.
    Tasks(Deferred<TasksCommand>),
    /// Make tokens for a server, and list them.
    Token(Deferred<TokenCommand>),
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory;

    use super::*;

    /// All of it, also what is made only when it is needed.
    fn tree() -> clap::Command {
        let mut tree = Cli::command();
        tree.build();
        tree
    }

    fn each(command: &clap::Command, look: &mut impl FnMut(&clap::Command)) {
        look(command);
        let own = command.get_subcommands().filter(|inner| inner.get_name() != "help");
        own.for_each(|inner| each(inner, look));
    }

    #[test]
    fn the_command_tree_is_sound() {
        Cli::command().debug_assert();
    }

    /// A list of commands shows the line of the variant, its own help that of the command.
    #[test]
    fn every_command_has_the_same_line_in_both_places() {
        let (list, tree) = (Cli::command(), tree());
        for listed in list.get_subcommands() {
            let own = tree.find_subcommand(listed.get_name()).unwrap();
            assert_eq!(
                listed.get_about().unwrap().to_string(),
                own.get_about().unwrap().to_string()
            );
        }
    }

    /// Section 10: help teaches, so every command has a line, a paragraph and examples.
    #[test]
    fn every_command_says_what_it_is_for_and_shows_examples() {
        each(&tree(), &mut |command| {
            let name = command.get_name();
            assert!(command.get_about().is_some(), "{name} has no line");
            assert!(command.get_long_about().is_some(), "{name} has no paragraph");
            let after = command.get_after_help().map(ToString::to_string).unwrap_or_default();
            assert!(after.contains("  steadfast "), "{name} has no examples");
        });
    }

    #[test]
    fn every_example_is_a_command_line_that_parses() {
        let mut examples = 0;
        each(&tree(), &mut |command| {
            let after = command.get_after_help().map(ToString::to_string).unwrap_or_default();
            for line in after.lines().filter_map(|line| line.strip_prefix("  steadfast ")) {
                let flags = line.split("  ").next().unwrap_or_default();
                let parsed =
                    Cli::try_parse_from(std::iter::once("steadfast").chain(flags.split(' ')));
                assert!(parsed.is_ok(), "{flags}: {}", parsed.unwrap_err());
                examples += 1;
            }
        });
        assert!(examples >= 4);
    }
}
