//! The printed reports.

use steadfast_flow::Flow;
use steadfast_store::{Stats, Store};

use super::check::{Found, check};
use super::crashes::{Left, Storm};
use super::throughput::{GOAL_PER_SECOND, Throughput};
use crate::Problem;

/// Runs the orders while instances are killed. Returns whether all checks passed.
///
/// # Errors
/// It cannot run.
pub async fn storm(database: &str, storm: Storm) -> Result<bool, Problem> {
    println!("{} orders of 4 nodes, 3 instances, seed {}", storm.orders, storm.seed);
    let left = storm.run(&std::env::current_exe()?, database).await?;
    let flow = Flow::new(Store::open(database).await?);
    let found = check(&flow, &left).await?;
    table(&left, &found);
    queries(&flow.store().stats().await?);
    chain(&found);
    for problem in found.problems.iter().take(20) {
        println!("WRONG: {problem}");
    }
    Ok(found.problems.is_empty())
}

fn table(left: &Left, found: &Found) {
    let row = |what: &str, count: u64, note: &str| println!("  {what:<34}{count:>7}  {note}");
    println!("\nRecorded in the store");
    row("executions completed", found.completed, "");
    row("executions failed", found.failed, "a declined card (402), or no shipper");
    row("  retried as a new execution", found.followed, "from the stored trigger");
    row("nodes completed", found.nodes_completed, "each with its own receipt");
    row("nodes failed", found.nodes_failed, "");
    row("nodes cancelled", found.nodes_cancelled, "because another node failed");
    row("attempts", found.attempts, "including killed instances and hinted waits");
    println!("Requests to the order service");
    for (answer, count) in &left.ledger.answers {
        let note = match answer.as_str() {
            "done before" => "the same receipt, by its key",
            "429" => "with Retry-After: 1",
            "too late" => "done, but the response came too late",
            _ => "",
        };
        row(answer, *count, note);
    }
    let (again, twice) = (left.ledger.asked_again(), left.ledger.answered_twice());
    println!(
        "  {again} nodes repeated a completed request: {twice} because their instance was lost"
    );
    println!("  before it recorded the response, the others because the response came too late");
    println!("Compared, after {} killed instances", left.kills);
    row("lost", found.lost, "executions and nodes that did not end");
    row("wrong", found.problems.len() as u64, "mismatches with the order service, duplicate runs");
    let per_second = found.nodes_completed as f64 / left.took.as_secs_f64();
    println!("  {per_second:.0} node executions per second, in {:.1} s", left.took.as_secs_f64());
}

/// S2's four queries.
fn queries(stats: &Stats) {
    let rate = stats.success_rate().unwrap_or_default() * 100.0;
    println!(
        "Tasks: {} pending, {} due in 24 hours, {} failed, success rate {rate:.2} %",
        stats.pending, stats.due_in_24_hours, stats.failed
    );
}

/// One order that was retried as a whole.
fn chain(found: &Found) {
    let mut chains = found.chains.iter().enumerate();
    let Some((order, chain)) = chains.find(|(_, chain)| chain.len() > 1) else { return };
    println!("\nOrder {order} was retried as a whole:");
    for execution in chain {
        let message = execution.message.as_deref().unwrap_or("");
        println!("  {}. {}  {} {message}", execution.attempt, execution.id, execution.status);
    }
}

/// Measures the throughput without failures. Returns whether it reaches the goal, which applies to
/// release builds.
///
/// # Errors
/// It cannot run.
pub async fn throughput(database: &str, orders: u64) -> Result<bool, Problem> {
    println!("{orders} executions of 4 no-op nodes, 3 processes");
    println!("{}", machine());
    let program = std::env::current_exe()?;
    let measured = Throughput::measure(&program, database, orders).await?;
    let (nodes, took, rate) = (measured.nodes, measured.took.as_secs_f64(), measured.per_second());
    println!("{nodes} nodes in {took:.1} s: {rate:.0} node executions per second");
    if cfg!(debug_assertions) {
        println!("(debug build: run it with --release for real numbers)");
        return Ok(true);
    }
    let is_enough = rate >= GOAL_PER_SECOND;
    if !is_enough {
        println!("MISSED: {GOAL_PER_SECOND:.0} per second is the goal");
    }
    Ok(is_enough)
}

/// The machine, and its load.
fn machine() -> String {
    let read = |file| std::fs::read_to_string(file).unwrap_or_default();
    let cpus = read("/proc/cpuinfo");
    let model = cpus.lines().find_map(|line| line.strip_prefix("model name")?.split_once(": "));
    let model = model.map_or("an unknown CPU", |(_, model)| model);
    let cores = std::thread::available_parallelism().map_or(0, usize::from);
    let load = read("/proc/loadavg");
    let load = load.split(' ').next().unwrap_or_default();
    format!("{cores} cores of {model}, load {load} at the start")
}

/// Simulates three weeks. Returns whether all checks passed.
///
/// # Errors
/// It cannot run.
pub async fn days(database: &str) -> Result<bool, Problem> {
    println!("A partner is down for three weeks: 7 days, then 14 more, by the database's clock");
    let weeks = super::schedule::run(&std::env::current_exe()?, database).await?;
    println!("A retried node:");
    for fault in &weeks.node.faults {
        let next = fault.next_delay.unwrap_or_default() / 86_400.0;
        println!("  day {:>2}  {}; again in {next:.0} days", weeks.day(fault.at), fault.message);
    }
    let ended = weeks.node.ended_at.map(|at| weeks.day(at)).unwrap_or_default();
    println!("  day {ended:>2}  {}", weeks.node.status);
    println!("An execution retried as a new one:");
    for execution in &weeks.chain {
        let day = weeks.day(execution.due_at);
        println!("  day {day:>2}  {}  {}", execution.id, execution.status);
    }
    let problems = weeks.problems();
    problems.iter().for_each(|problem| println!("WRONG: {problem}"));
    Ok(problems.is_empty())
}
