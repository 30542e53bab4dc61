//! `steadfast`: the whole of this project from a shell.
//!
//! People run it to see what a policy does before it does it, scripts run it to ask the same
//! questions; so every command answers both, as a table and as JSON, from the same value. The
//! commands compute nothing: the library plans, judges and refuses, and what is here asks it
//! and shows the answer.
//!
//! | file | holds |
//! |---|---|
//! | `cli.rs`, `deferred.rs` | the command tree, and what all commands have in common |
//! | `commands/` | one file or folder for each command, named after it |
//! | `policy_flags/` | a policy as flags, for every command that takes one |
//! | `policies.rs`, `config.rs` | policies by their names, and the file that they are in |
//! | `place/`, `place_first.rs` | which store or server the commands about tasks ask |
//! | `live/`, `paging.rs`, `confirm.rs` | `--watch`, long lists, and asking before much is changed |
//! | `input.rs` | files and stdin |
//! | `secrets.rs` | names whose values are shown nowhere |
//! | `output/` | answers, for people and for machines |
//! | `picture/` | charts: where they go, and in which form |
//! | `problem/`, `exit.rs` | what went wrong, and the exit code that says so |

mod cli;
mod commands;
mod config;
mod confirm;
mod deferred;
mod exit;
mod global_flags;
mod help;
mod input;
mod near_miss;
mod output;
mod paging;
mod past;
mod picture;
mod policies;
mod policy_flags;
mod problem;
mod secrets;
mod target;
mod usage;
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
    let ended = match Cli::try_parse_from(global_flags::moved(arguments)) {
        Ok(cli) => {
            secrets::mask(&cli.common.secret);
            commands::run(&cli)
        }
        Err(stopped) => usage::answer(&stopped),
    };
    ended.unwrap_or_else(|problem| problem.report())
}
