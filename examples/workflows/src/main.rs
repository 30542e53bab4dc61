//! The command line of the example.

use std::process::ExitCode;

use clap::{Parser, Subcommand};
use example_workflows::demo::crashes::Storm;
use example_workflows::demo::{order_service, report, throughput, wait_for_parent_exit};
use example_workflows::{Problem, instance};
use steadfast_testing::postgres::{Host, Settings};

/// Run a workflow service of three instances on one PostgreSQL, killed at random, against a service
/// that fails. Without a command: the orders, then the three weeks
#[derive(Debug, Parser)]
#[command(name = "workflows", args_conflicts_with_subcommands = true)]
struct Arguments {
    #[command(subcommand)]
    command: Option<Command>,
    #[command(flatten)]
    storm: Storm,
    /// Measure the throughput of three processes without failures instead, with this many
    /// orders of four nodes. Use a release build
    #[arg(
        long, value_name = "ORDERS", num_args = 0..=1, default_missing_value = "5000",
        value_parser = clap::value_parser!(u64).range(1..=1_000_000)
    )]
    throughput: Option<u64>,
    /// PostgreSQL to use instead of a temporary one (postgres://user@host/postgres). Databases
    /// are created on it and dropped
    #[arg(long, global = true, value_name = "URL")]
    server: Option<String>,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Simulate three weeks: the schedule of 7 and 14 days
    Days,
    /// Run one instance
    #[command(hide = true)]
    Instance(instance::Arguments),
    /// Run a process with no-op nodes
    #[command(hide = true)]
    Note(throughput::Arguments),
    /// Run the order service that fails
    #[command(hide = true)]
    Shop(order_service::Arguments),
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

/// Returns whether all checks passed.
fn run(arguments: Arguments) -> Result<bool, Problem> {
    let runtime = tokio::runtime::Runtime::new()?;
    // Measured commits wait for the disk, as in production.
    let durable = arguments.throughput.is_some();
    let settings = || Settings { durable, ..Settings::default() };
    let host = || Host::find(arguments.server.as_deref(), settings());
    match arguments.command {
        Some(Command::Instance(options)) => {
            runtime.block_on(instance::run(options, wait_for_parent_exit())).map(|()| true)
        }
        Some(Command::Note(options)) => runtime.block_on(throughput::note(options)).map(|()| true),
        Some(Command::Shop(options)) => {
            runtime.block_on(order_service::run(options)).map(|()| true)
        }
        Some(Command::Days) => runtime.block_on(report::days(host()?.database()?.url())),
        None => {
            let (host, storm) = (host()?, arguments.storm);
            println!("{}", host.name()?);
            if let Some(orders) = arguments.throughput {
                return runtime.block_on(report::throughput(host.database()?.url(), orders));
            }
            let calm = runtime.block_on(report::storm(host.database()?.url(), storm))?;
            println!();
            Ok(runtime.block_on(report::days(host.database()?.url()))? && calm)
        }
    }
}
