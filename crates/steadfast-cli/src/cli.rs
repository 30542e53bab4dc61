//! The command tree and the options common to all commands.
//!
//! Each command is a variant here and a file of the same name in `commands/`, which holds its
//! flags, its examples and its implementation.

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
use crate::help::{Example, Section, after_help};
use crate::lazy_args::LazyArgs;
use crate::output::Output;
use crate::output::colour::{Colour, HEADING, LITERAL};
use crate::secrets;

const EXAMPLES: &[Example] = &[
    ("steadfast serve", "API, web page and worker"),
    ("steadfast run -- curl -fsS https://example.com", "retry it, at most three attempts"),
    ("steadfast policy check", "validate the policy file"),
    ("steadfast policy plan --preset sql", "print the retry delays"),
    ("steadfast policy plot --max-attempts 6 --jitter full", "chart the retry delays"),
    ("steadfast classify --sqlstate 40P01", "is a deadlock retried?"),
    ("steadfast classify --http 429 --retry-after 120 --json", "the same for a script"),
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
/// A policy says how often to retry and how long to wait; its rules say which failures are
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
    /// The output format chosen with `--json`.
    pub(crate) const fn output(&self) -> Output {
        Output::new(self.json)
    }
}

/// The commands. The doc comment of each variant is the first line of that command's own help.
#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Show the audit log: who changed tasks and queues, and when.
    Audit(LazyArgs<AuditCommand>),
    /// List, open and close circuit breakers.
    Breaker(LazyArgs<BreakerCommand>),
    /// Classify a failure and show the rule that decided it.
    Classify(LazyArgs<Classify>),
    /// Print a shell completion script.
    Completions(LazyArgs<Completions>),
    /// Migrate, inspect and prune the database of a store.
    Db(LazyArgs<DbCommand>),
    /// Diagnose a store and the policy file, with advice.
    Doctor(LazyArgs<Doctor>),
    /// Show events: retries, failures, late successes, lost leases, breaker changes.
    Events(LazyArgs<EventsCommand>),
    /// Check, run and control workflows.
    Flow(LazyArgs<FlowCommand>),
    /// Generate man pages.
    Man(LazyArgs<Man>),
    /// Check, inspect and convert retry policies.
    Policy(LazyArgs<PolicyCommand>),
    /// List, pause and resume queues.
    Queue(LazyArgs<QueueCommand>),
    /// Run a command and retry it when it fails.
    Run(LazyArgs<Run>),
    /// Serve a store: HTTP API, web page and a worker.
    Serve(LazyArgs<Serve>),
    /// Simulate clients against a failing service under one or more policies.
    Simulate(LazyArgs<Simulate>),
    /// Show task counts, queues and the success rate.
    Stats(LazyArgs<StatsCommand>),
    /// Submit tasks: an HTTP call, a command, or a file of tasks.
    Submit(LazyArgs<Submit>),
    /// List, show, cancel and requeue tasks.
    Tasks(LazyArgs<TasksCommand>),
    /// Create and list API tokens.
    Token(LazyArgs<TokenCommand>),
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
