//! `steadfast`: the command line of the project.
//!
//! Every command prints one value, as text or as JSON. Policies, classification, stores and
//! servers are implemented in the libraries; this crate parses flags and renders results.
//!
//! | file | holds |
//! |---|---|
//! | `cli.rs`, `lazy_args.rs`, `help.rs` | the command tree, the common options, help sections |
//! | `commands/` | one file or directory per command, named after it |
//! | `policy_flags/` | policy fields as flags |
//! | `policies.rs`, `config.rs` | policies by name, and the policy file |
//! | `target/`, `global_flags.rs` | the store or server a command uses |
//! | `watch/`, `paging.rs`, `confirm.rs` | `--watch`, paged lists, confirmation prompts |
//! | `input.rs`, `past_time.rs` | files, stdin and times as input |
//! | `secrets.rs`, `signals.rs` | names whose values are redacted, signal handlers |
//! | `output/` | text and JSON output |
//! | `chart/` | chart formats and destinations |
//! | `error/`, `clap_error.rs`, `exit.rs` | errors and exit codes |

mod chart;
mod clap_error;
mod cli;
mod commands;
mod config;
mod confirm;
mod error;
mod exit;
mod global_flags;
mod help;
mod input;
mod lazy_args;
mod number_range;
mod output;
mod paging;
mod past_time;
mod policies;
mod policy_flags;
mod secrets;
mod signals;
mod target;
mod watch;

use std::ffi::OsString;
use std::process::ExitCode;

use clap::Parser;

use cli::Cli;
use exit::Exit;
use output::colour;

fn main() -> ExitCode {
    let arguments: Vec<OsString> = std::env::args_os().collect();
    colour::choose(&arguments);
    run(arguments).into()
}

fn run(arguments: Vec<OsString>) -> Exit {
    let result = match Cli::try_parse_from(global_flags::after_subcommand(arguments)) {
        Ok(cli) => {
            secrets::install(&cli.common.secret);
            cli.command.run(&cli.common)
        }
        Err(error) => clap_error::print_or_convert(&error),
    };
    result.unwrap_or_else(|error| error.report())
}
