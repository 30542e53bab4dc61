//! `cargo xtask example workflows`

use std::io::{IsTerminal as _, Write as _};
use std::process::ExitCode;
use std::time::Duration;

use clap::{Parser, Subcommand};
use example_workflows::check::{Found, check};
use example_workflows::days;
use example_workflows::home::{Home, SERVER};
use example_workflows::storm::{Left, Progress, Storm};
use example_workflows::{Problem, instance, service, throughput};
use steadfast_flow::Flow;
use steadfast_store::{Stats, Store};

/// A workflow service: three instances on one PostgreSQL, killed at random, against a service
/// that fails. Without a command: the orders, then the three weeks.
#[derive(Debug, Parser)]
#[command(name = "workflows", args_conflicts_with_subcommands = true)]
struct Arguments {
    #[command(subcommand)]
    command: Option<Command>,
    #[command(flatten)]
    storm: StormArguments,
    /// A PostgreSQL server to make a database on, such as postgres://postgres@127.0.0.1/postgres
    /// (or EXAMPLE_POSTGRES); one is started if none is named.
    #[arg(long, global = true, value_name = "URL")]
    postgres: Option<String>,
}

#[derive(Debug, clap::Args)]
struct StormArguments {
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
    let home = |durable: bool| Home::find(server.as_deref(), durable);
    match arguments.command {
        Some(Command::Instance(told)) => runtime.block_on(instance::run(told)).map(|()| true),
        Some(Command::Service(told)) => runtime.block_on(service::run(told)).map(|()| true),
        Some(Command::Days) => runtime.block_on(show_days(&home(false)?)),
        Some(Command::Throughput { executions }) => {
            runtime.block_on(show_throughput(&home(true)?, executions))
        }
        None => {
            let calm = runtime.block_on(show_storm(&home(false)?, &arguments.storm))?;
            println!();
            Ok(runtime.block_on(show_days(&home(false)?))? && calm)
        }
    }
}

async fn show_storm(home: &Home, told: &StormArguments) -> Result<bool, Problem> {
    let storm = Storm {
        orders: told.orders,
        instances: 3,
        kills: told.kills,
        seed: told.seed,
        concurrency: 16,
        patience: Duration::from_secs(300),
    };
    println!("{} orders of 4 nodes, 3 instances, seed {}", told.orders, told.seed);
    println!("{}", home.name());
    let left = storm.run(&std::env::current_exe()?, home.url(), line).await?;
    println!();
    let flow = Flow::new(Store::open(home.url()).await?);
    let found = check(&flow, &left).await?;
    table(&left, &found);
    queries(&flow.store().stats().await?);
    chain(&found);
    for problem in found.problems.iter().take(20) {
        println!("WRONG: {problem}");
    }
    Ok(found.problems.is_empty())
}

/// Over and over in the same place, if somebody looks.
fn line(progress: &Progress) {
    let nodes = &progress.nodes;
    let open = nodes.pending + nodes.scheduled + nodes.running;
    let words = format!(
        "{:5.1} s  {} nodes completed, {} failed, {open} open, {} instances killed",
        progress.since.as_secs_f64(),
        nodes.completed,
        nodes.failed,
        progress.kills
    );
    let mut out = std::io::stdout();
    if out.is_terminal() {
        let _ = write!(out, "\r{words}   ");
        let _ = out.flush();
    } else if progress.since.as_millis() % 2000 < 250 {
        println!("{words}");
    }
}

fn table(left: &Left, found: &Found) {
    let row = |what: &str, count: u64, note: &str| println!("  {what:<34}{count:>7}  {note}");
    println!("\nWhat the store recorded");
    row("executions completed", found.completed, "");
    row("executions failed", found.failed, "a declined card (402), or nobody who ships");
    row("  followed by a new one", found.followed, "from the saved trigger");
    row(
        "nodes completed",
        found.nodes_completed,
        "each with the one receipt that was given for it",
    );
    row("nodes failed", found.nodes_failed, "");
    row("nodes called off", found.nodes_called_off, "beside one that failed");
    row("attempts", found.attempts, "those of killed instances and asked-for waits included");
    let again = format!("by {} nodes: harmless, because of the key", left.ledger.done_before());
    println!("What the service saw");
    for (answer, count) in &left.ledger.answers {
        let note = match answer.as_str() {
            "done before" => again.as_str(),
            "done" => "",
            "429" => "with Retry-After: 1",
            "too late" => "done, but nobody waited for the answer",
            _ => "",
        };
        row(answer, *count, note);
    }
    let lost = left.started.len() as u64 + found.followed - found.completed - found.failed;
    println!("Together");
    row("lost", lost, "");
    row("wrong", found.problems.len() as u64, "");
    row("instances killed", u64::from(left.kills), "");
    let a_second = found.nodes_completed as f64 / left.took.as_secs_f64();
    println!("  {a_second:.0} node executions a second, in {:.1} s", left.took.as_secs_f64());
}

/// S2's four queries.
fn queries(stats: &Stats) {
    let rate = stats.success_rate().unwrap_or_default() * 100.0;
    println!(
        "Tasks: {} pending, {} due in 24 hours, {} failed, success rate {rate:.2} %",
        stats.pending, stats.due_in_24_hours, stats.failed
    );
}

/// One order that was tried again as a whole.
fn chain(found: &Found) {
    let Some((order, chain)) = found.chains.iter().enumerate().find(|(_, chain)| chain.len() > 1)
    else {
        return;
    };
    println!("\nOrder {order} was tried again as a whole:");
    for execution in chain {
        let message = execution.message.as_deref().unwrap_or("");
        println!("  {}. {}  {} {message}", execution.attempt, execution.id, execution.status);
    }
}

async fn show_days(home: &Home) -> Result<bool, Problem> {
    println!("A partner is away for three weeks: 7 days, then 14 more, by the database's clock");
    let weeks = days::run(&std::env::current_exe()?, home.url()).await?;
    println!("A node that is tried again:");
    for fault in &weeks.node.faults {
        let next = fault.next_delay.unwrap_or_default() / 86_400.0;
        println!("  day {:>2}  {}; again in {next:.0} days", weeks.day(fault.at), fault.message);
    }
    let ended = weeks.node.ended_at.map(|at| weeks.day(at)).unwrap_or_default();
    println!("  day {ended:>2}  {}", weeks.node.status);
    println!("An execution that is tried again as a new one:");
    for execution in &weeks.chain {
        let day = weeks.day(execution.due_at);
        println!("  day {day:>2}  {}  {}", execution.id, execution.status);
    }
    let problems = weeks.problems();
    problems.iter().for_each(|problem| println!("WRONG: {problem}"));
    Ok(problems.is_empty())
}

async fn show_throughput(home: &Home, executions: u64) -> Result<bool, Problem> {
    println!("{executions} executions of 4 nodes, 3 instances, no faults; {}", home.name());
    let measured = throughput::run(&std::env::current_exe()?, home.url(), executions).await?;
    println!(
        "{} nodes in {:.1} s: {:.0} node executions a second",
        measured.nodes.completed,
        measured.took.as_secs_f64(),
        measured.a_second()
    );
    Ok(measured.nodes.completed == 4 * executions)
}
