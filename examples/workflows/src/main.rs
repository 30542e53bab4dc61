//! `cargo xtask example workflows`

mod show;

use std::process::ExitCode;

use clap::{Parser, Subcommand};
use example_workflows::home::{Home, SERVER};
use example_workflows::{Problem, instance, service};

/// A workflow service: three instances on one PostgreSQL, killed at random, against a service
/// that fails. Without a command: the orders, then the three weeks.
#[derive(Debug, Parser)]
#[command(name = "workflows", args_conflicts_with_subcommands = true)]
struct Arguments {
    #[command(subcommand)]
    command: Option<Command>,
    #[command(flatten)]
    orders: Orders,
    /// A PostgreSQL server to make a database on, such as postgres://postgres@127.0.0.1/postgres
    /// (or EXAMPLE_POSTGRES); one is started if none is named.
    #[arg(long, global = true, value_name = "URL")]
    postgres: Option<String>,
}

#[derive(Debug, clap::Args)]
struct Orders {
    /// How many orders, each an execution of four nodes.
    #[arg(long, default_value_t = 1000, value_parser = clap::value_parser!(u64).range(1..=100_000))]
    orders: u64,
    /// How many instances are killed meanwhile.
    #[arg(long, default_value_t = 12)]
    kills: u32,
    /// What goes wrong, and when.
    #[arg(long, default_value_t = 1)]
    seed: u64,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Lets three weeks pass: the schedule of 7 and 14 days.
    Days,
    /// How many nodes a second, when nothing goes wrong.
    Throughput {
        /// How many executions of four nodes.
        #[arg(long, default_value_t = 5000, value_parser = clap::value_parser!(u64).range(1..=1_000_000))]
        executions: u64,
    },
    /// Is one instance.
    #[command(hide = true)]
    Instance(instance::Arguments),
    /// Is the service that fails.
    #[command(hide = true)]
    Service(service::Arguments),
}

fn main() -> ExitCode {
    match run(Arguments::parse()) {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(problem) => {
            eprintln!("error: {problem}");
            ExitCode::from(2)
        }
    }
}

/// Answers whether all is as it should be.
fn run(arguments: Arguments) -> Result<bool, Problem> {
    let runtime = tokio::runtime::Runtime::new()?;
    let server = arguments.postgres.or_else(|| std::env::var(SERVER).ok());
    match arguments.command {
        Some(Command::Instance(told)) => runtime.block_on(instance::run(told)).map(|()| true),
        Some(Command::Service(told)) => runtime.block_on(service::run(told)).map(|()| true),
        Some(Command::Days) => {
            let home = Home::find(server, false)?;
            runtime.block_on(show::days(home.database()?.url()))
        }
        Some(Command::Throughput { executions }) => {
            let home = Home::find(server, true)?;
            println!("{executions} executions of 4 nodes, 3 instances; {}", home.name()?);
            runtime.block_on(show::throughput(home.database()?.url(), executions))
        }
        None => {
            let (home, Orders { orders, kills, seed }) =
                (Home::find(server, false)?, arguments.orders);
            println!("{orders} orders of 4 nodes, 3 instances, seed {seed}; {}", home.name()?);
            let calm =
                runtime.block_on(show::storm(home.database()?.url(), orders, kills, seed))?;
            println!();
            Ok(runtime.block_on(show::days(home.database()?.url()))? && calm)
        }
    }
}
