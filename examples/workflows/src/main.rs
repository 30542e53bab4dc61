//! `cargo xtask example workflows`

use std::process::ExitCode;

use clap::{Parser, Subcommand};
use example_workflows::trial::storm::Storm;
use example_workflows::trial::{wait_for_parent_exit, shop, show, throughput};
use example_workflows::{Problem, instance};
use steadfast_testing::postgres::{Host, Settings};

/// A workflow service: three instances on one PostgreSQL, killed at random, against a service
/// that fails. Without a command: the orders, then the three weeks.
#[derive(Debug, Parser)]
#[command(name = "workflows", args_conflicts_with_subcommands = true)]
struct Arguments {
    #[command(subcommand)]
    command: Option<Command>,
    #[command(flatten)]
    storm: Storm,
    /// Measures instead how many nodes a second three processes get done when nothing goes wrong:
    /// so many orders of four nodes. Build it for release.
    #[arg(
        long, value_name = "ORDERS", num_args = 0..=1, default_missing_value = "5000",
        value_parser = clap::value_parser!(u64).range(1..=1_000_000)
    )]
    throughput: Option<u64>,
    /// A PostgreSQL of yours (postgres://user@host/postgres) instead of a throwaway one. Databases
    /// are made on it and dropped.
    #[arg(long, global = true, value_name = "URL")]
    server: Option<String>,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Lets three weeks pass: the schedule of 7 and 14 days.
    Days,
    /// Is one instance.
    #[command(hide = true)]
    Instance(instance::Arguments),
    /// Is a process whose nodes take no time.
    #[command(hide = true)]
    Note(throughput::Arguments),
    /// Is the shop that fails.
    #[command(hide = true)]
    Shop(shop::Arguments),
}

fn main() -> ExitCode {
    match run(Arguments::parse()) {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(problem) => {
            eprintln!("error: {problem}");
            ExitCode::FAILURE
        }
    }
}

/// Answers whether all is as it should be.
fn run(arguments: Arguments) -> Result<bool, Problem> {
    let runtime = tokio::runtime::Runtime::new()?;
    // What is measured waits for the disk, as in earnest.
    let durable = arguments.throughput.is_some();
    let settings = || Settings { durable, ..Settings::default() };
    let host = || Host::find(arguments.server.as_deref(), settings());
    match arguments.command {
        Some(Command::Instance(told)) => {
            runtime.block_on(instance::run(told, wait_for_parent_exit())).map(|()| true)
        }
        Some(Command::Note(told)) => runtime.block_on(throughput::note(told)).map(|()| true),
        Some(Command::Shop(told)) => runtime.block_on(shop::run(told)).map(|()| true),
        Some(Command::Days) => runtime.block_on(show::days(host()?.database()?.url())),
        None => {
            let (host, storm) = (host()?, arguments.storm);
            println!("{}", host.name()?);
            if let Some(orders) = arguments.throughput {
                return runtime.block_on(show::throughput(host.database()?.url(), orders));
            }
            let calm = runtime.block_on(show::storm(host.database()?.url(), storm))?;
            println!();
            Ok(runtime.block_on(show::days(host.database()?.url()))? && calm)
        }
    }
}
