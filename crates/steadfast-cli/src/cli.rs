//! The command tree and the options common to all commands.
//!
//! Each command is a variant here and a file of the same name in `commands/`, which holds its
//! flags, its examples and its implementation.

use std::path::PathBuf;

use clap::builder::Styles;
use clap::{Args, Parser};

use crate::commands;
use crate::error::CliError;
use crate::exit::Exit;
use crate::help::{Example, Section, after_help};
use crate::lazy_args::LazyArgs;
use crate::output::colour::{Colour, HEADING, LITERAL};
use crate::output::{self, Printable};
use crate::secrets;

const EXAMPLES: &[Example] = &[
    ("steadfast serve", "API, web UI and worker"),
    ("steadfast run -- curl -fsS https://example.com", "retry it, at most three attempts"),
    ("steadfast policy check", "validate the policy file"),
    ("steadfast policy plan --preset sql", "print the retry delays"),
    ("steadfast policy plot --max-attempts 6 --jitter full", "chart the retry delays"),
    ("steadfast classify --sqlstate 40P01", "is a deadlock retried?"),
    ("steadfast classify --http 429 --retry-after 120 --json", "a rate limit, as JSON"),
    ("steadfast tasks list --status failed", "list failed tasks"),
    ("steadfast simulate storm", "see a retry storm"),
    ("steadfast submit tasks.jsonl", "submit a file of tasks"),
];

const EXIT_CODES: Section = (
    "Exit codes",
    &[
        ("0", "success"),
        ("1", "the operation failed"),
        ("2", "invalid usage"),
        ("78", "invalid configuration"),
    ],
);

/// Retry commands, tasks and workflows under a policy.
///
/// A policy says how many times to retry and how long to wait; its rules say which failures are
/// retried. Run commands with retries, serve a durable task store, and check policies before
/// they are used.
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

/// Options common to all commands.
#[derive(Debug, Args)]
#[command(next_help_heading = "Common options")]
pub(crate) struct Common {
    /// Policy file [env: STEADFAST_CONFIG] [default: steadfast.yaml, if it exists]
    #[arg(short, long, global = true, value_name = "FILE")]
    pub(crate) config: Option<PathBuf>,

    /// Print JSON instead of text
    #[arg(long, global = true)]
    pub(crate) json: bool,

    /// When to use colours: auto, always or never; NO_COLOR and CLICOLOR_FORCE are honoured
    #[arg(
        long,
        global = true,
        value_name = "WHEN",
        value_enum,
        default_value_t,
        hide_possible_values = true
    )]
    #[allow(dead_code, reason = "read before the command line is parsed; clap validates it here")]
    color: Colour,

    /// Also redact values with this name, in addition to common names such as password; may be
    /// repeated [env: STEADFAST_SECRETS]
    #[arg(long, global = true, value_name = "NAME", value_delimiter = ',')]
    #[arg(value_parser = secrets::parse)]
    pub(crate) secret: Vec<String>,
}

impl Common {
    /// Prints the result of a command, as text or with `--json` as JSON.
    pub(crate) fn print(&self, result: &impl Printable) -> Result<Exit, CliError> {
        output::print_result(result, self.json)?;
        Ok(Exit::Success)
    }
}

commands::subcommands! {
    /// The commands. The doc comment of each variant is the first line of that command's own help.
    pub(crate) enum Command {
        /// Show the audit log: who did what, and when.
        Audit(LazyArgs<commands::audit::AuditCommand>),
        /// List, open and close circuit breakers.
        Breaker(LazyArgs<commands::breaker::BreakerCommand>),
        /// Classify a failure and show the rule that decided it.
        Classify(LazyArgs<commands::classify::Classify>),
        /// Print a shell completion script.
        Completions(LazyArgs<commands::completions::Completions>),
        /// Migrate, inspect and prune the database of a store.
        Db(LazyArgs<commands::db::DbCommand>),
        /// Check a store and the policy file, and suggest fixes.
        Doctor(LazyArgs<commands::doctor::Doctor>),
        /// Show events: retries, failures, successes after retries, lost leases, breaker changes.
        Events(LazyArgs<commands::events::EventsCommand>),
        /// Check, run and control workflows.
        Flow(LazyArgs<commands::flow::FlowCommand>),
        /// Generate man pages.
        Man(LazyArgs<commands::man::Man>),
        /// Check, inspect and convert retry policies.
        Policy(LazyArgs<commands::policy::PolicyCommand>),
        /// List, pause and resume queues.
        Queue(LazyArgs<commands::queue::QueueCommand>),
        /// Run a command and retry it when it fails.
        Run(LazyArgs<commands::run::Run>),
        /// Start the server: HTTP API, web UI and a worker.
        Serve(LazyArgs<commands::serve::Serve>),
        /// Simulate clients against a failing service under one or more policies.
        Simulate(LazyArgs<commands::simulate::Simulate>),
        /// Show task counts, queues and the success rate.
        Stats(LazyArgs<commands::stats::StatsCommand>),
        /// Submit tasks: an HTTP call, a command, or a file of tasks.
        Submit(LazyArgs<commands::submit::Submit>),
        /// List, show, cancel and requeue tasks.
        Tasks(LazyArgs<commands::tasks::TasksCommand>),
        /// Create and list API tokens.
        Token(LazyArgs<commands::token::TokenCommand>),
    }
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory;

    use super::*;

    /// The complete tree, including lazily built commands.
    fn tree() -> clap::Command {
        let mut tree = Cli::command();
        tree.build();
        tree
    }

    fn each(command: &clap::Command, visit: &mut impl FnMut(&clap::Command)) {
        visit(command);
        let own = command.get_subcommands().filter(|inner| inner.get_name() != "help");
        own.for_each(|inner| each(inner, visit));
    }

    #[test]
    fn command_tree_passes_debug_assert() {
        Cli::command().debug_assert();
    }

    /// The command list shows the variant's doc comment, the command's own help that of its struct.
    #[test]
    fn command_summary_matches_its_own_help() {
        let (list, tree) = (Cli::command(), tree());
        for listed in list.get_subcommands() {
            let own = tree.find_subcommand(listed.get_name()).unwrap();
            assert_eq!(
                listed.get_about().unwrap().to_string(),
                own.get_about().unwrap().to_string()
            );
        }
    }

    /// Section 10: every command has a summary, a description and examples.
    #[test]
    fn every_command_has_description_and_examples() {
        each(&tree(), &mut |command| {
            let name = command.get_name();
            assert!(command.get_about().is_some(), "{name} has no summary");
            assert!(command.get_long_about().is_some(), "{name} has no description");
            let after = command.get_after_help().map(ToString::to_string).unwrap_or_default();
            assert!(after.contains("  steadfast "), "{name} has no examples");
        });
    }

    #[test]
    fn every_example_parses() {
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
